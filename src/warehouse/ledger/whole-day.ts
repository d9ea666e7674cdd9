/** Which organizations have a whole day. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Database } from '../connection/connection.ts';

/** An organization, and its name in ORGANIZATIONS_FILE; null if it has none. */
export interface WholeOrganization {
  readonly organizationId: string;
  readonly name: string | null;
}

/**
 * The organizations whose slices of a day are all held, for each of `endpoints`, and whose last readings did not fail. A
 * refused slice counts as held: a person decides about it.
 */
export async function readWholeOrganizations(
  db: Database,
  day: Day,
  endpoints: readonly string[],
): Promise<WholeOrganization[]> {
  const { rows } = await sql<{ org_id: string; name: string | null }>`
    select organization.org_id, bound.name
    from warehouse.dim_org as organization
    left join etl.organization as bound on bound.org_key = organization.org_key
    where (
      select count(*)
      from etl.slice as slice
      where slice.org_key = organization.org_key
        and slice.endpoint = any(${endpoints})
        and slice.slice_key = ${day}
        and slice.status in ('loaded', 'empty')
        and (slice.last_failed_at is null or slice.refused_at = slice.last_failed_at)
    ) = ${endpoints.length}
    order by organization.org_key
  `.execute(db);
  return rows.map(({ org_id, name }) => ({ organizationId: org_id, name }));
}
