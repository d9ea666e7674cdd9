/** The names of ORGANIZATIONS_FILE and their organizations, in `etl.organization`. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';
import { organizationKey } from './organization.ts';

/** The organization of a name. */
export interface BoundName {
  readonly orgKey: number;
  readonly organizationId: string;
  /** When a run that loaded it ended last; null if none did. */
  readonly loadedAt: Date | null;
}

/** The organizations of these names; names that no run has bound are not in it. */
export async function readBoundNames(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, BoundName>> {
  const { rows } = await sql<{ name: string; org_key: number; org_id: string; loaded_at: Date | null }>`
    select bound.name, bound.org_key, organization.org_id, loaded.finished_at as loaded_at
    from etl.organization as bound
    join warehouse.dim_org as organization on organization.org_key = bound.org_key
    left join lateral (
      select run.finished_at
      from etl.run as run
      where run.org_key = bound.org_key
        and run.job in ('nightly', 'backfill')
        and run.status in ('succeeded', 'partial')
      order by run.run_id desc
      limit 1
    ) as loaded on true
    where bound.name = any(${names})
  `.execute(db);
  return new Map(
    rows.map(({ name, org_key, org_id, loaded_at }) => [
      name,
      { orgKey: org_key, organizationId: org_id, loadedAt: loaded_at },
    ]),
  );
}

/** Another binding that stands against one. */
export interface OtherBinding {
  /** The organization of the name, if it is another one. */
  readonly organizationId: string | undefined;
  /** The name of the organization, if it is another one. */
  readonly name: string | undefined;
}

/** What is bound otherwise than this name and organization. */
export async function otherBinding(
  db: Database,
  name: string,
  organizationId: string,
): Promise<OtherBinding> {
  const rows = await db
    .selectFrom('etl.organization as bound')
    .innerJoin('warehouse.dim_org as organization', 'organization.org_key', 'bound.org_key')
    .select(['bound.name', 'organization.org_id'])
    .where(({ or, eb }) => or([eb('bound.name', '=', name), eb('organization.org_id', '=', organizationId)]))
    .execute();
  return {
    organizationId: rows.find((row) => row.name === name && row.org_id !== organizationId)?.org_id,
    name: rows.find((row) => row.org_id === organizationId && row.name !== name)?.name,
  };
}

/**
 * Binds a name, unless it or the organization is bound. Its unique indexes are the lock: of two that begin at once, the
 * second waits for the first one's transaction. So read afterwards which binding stands.
 */
export async function bindName(db: Database, name: string, organizationId: string): Promise<void> {
  const orgKey = await organizationKey(db, organizationId);
  await db
    .insertInto('etl.organization')
    .values({ name, org_key: orgKey })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
