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

/** Counts refused slices by organization and endpoint. An endpoint of `endpoints` without refused slices is left out. */
export async function readRefusedSlices(
  db: Database,
  endpoints: readonly string[],
): Promise<RefusedSlices[]> {
  const { rows } = await sql<RefusedSlices>`
    select org.org_id as organization, slice.endpoint, count(*)::int as slices
    from etl.slice as slice
    join warehouse.dim_org as org using (org_key)
    where slice.endpoint = any(${endpoints}) and slice.refused_at is not null
    group by org.org_id, slice.endpoint
    order by org.org_id, slice.endpoint
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
