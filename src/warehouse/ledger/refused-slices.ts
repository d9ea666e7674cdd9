/** Slices whose answer was refused, until a reading succeeds: a person must decide whether the answer is right. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';
import type { SliceName } from './slice-ledger.ts';

/** The number of refused slices of an endpoint. */
export interface RefusedSlices {
  readonly organization: string;
  readonly endpoint: string;
  readonly slices: number;
}

/**
 * Counts refused slices by organization and endpoint. An endpoint of `endpoints` without refused slices is left out. Of
 * more than `most` organizations with refused slices it counts those of so many, the ones with most of them first.
 */
export async function readRefusedSlices(
  db: Database,
  endpoints: readonly string[],
  most: number,
): Promise<RefusedSlices[]> {
  const { rows } = await sql<RefusedSlices>`
    with refused as (
      select slice.org_key, slice.endpoint, count(*) as slices
      from etl.slice as slice
      where slice.endpoint = any(${endpoints}) and slice.refused_at is not null
      group by slice.org_key, slice.endpoint
    )
    select org.org_id as organization, refused.endpoint, refused.slices::int
    from refused
    join warehouse.dim_org as org using (org_key)
    where org_key in (select org_key from refused group by org_key order by sum(slices) desc, org_key limit ${most})
    order by org.org_id, refused.endpoint
  `.execute(db);
  return rows;
}

/** The refused slices of a run's organization that no message has named yet. */
export async function readUntoldRefusals(db: Database, runId: number | null): Promise<SliceName[]> {
  const { rows } = await sql<SliceName>`
    select slice.endpoint, slice.slice_key as key
    from etl.slice as slice
    join etl.run as run using (org_key)
    where run.run_id = ${runId} and slice.refused_at is not null and slice.refusal_told_at is null
    order by slice.endpoint, slice.slice_key
  `.execute(db);
  return rows;
}

/** Remembers that a message named these refused slices of a run's organization. */
export async function recordRefusalsTold(
  db: Database,
  runId: number,
  told: readonly SliceName[],
): Promise<void> {
  await sql`
    update etl.slice as slice
    set refusal_told_at = now()
    from etl.run as run, unnest(${told.map(({ endpoint }) => endpoint)}::text[], ${told.map(({ key }) => key)}::text[]) as told (endpoint, slice_key)
    where run.run_id = ${runId}
      and slice.org_key = run.org_key
      and slice.endpoint = told.endpoint
      and slice.slice_key = told.slice_key
      and slice.refused_at is not null
  `.execute(db);
}
