/**
 * What the ledger tells monitoring: the last held day of each endpoint, and the failed tries of the newest night.
 */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Database } from '../connection/connection.ts';

/** The last day of an endpoint that the warehouse holds. */
export interface LastDay {
  readonly organization: string;
  readonly endpoint: string;
  readonly day: Day;
}

/** Reads the last held day by organization and endpoint. An endpoint of `endpoints` without a held day is left out. */
export async function readLastDays(db: Database, endpoints: readonly string[]): Promise<LastDay[]> {
  const { rows } = await sql<LastDay>`
    select org.org_id as organization, slice.endpoint, max(slice.usage_date) as day
    from etl.slice as slice
    join warehouse.dim_org as org using (org_key)
    where slice.endpoint = any(${endpoints}) and slice.status in ('loaded', 'empty')
    group by org.org_id, slice.endpoint
    order by org.org_id, slice.endpoint
  `.execute(db);
  return rows;
}

/** The runs of one organization for the newest night; `org_key` null: runs that ended before they knew theirs. */
interface TriesOfOrganization {
  readonly org_key: number | null;
  readonly last_run: number;
  readonly is_whole: boolean;
  readonly bad: number;
}

/**
 * Counts the failed tries of the newest night for which a `nightly` ran; 0 if the night is complete. A try also counts as
 * failed if a slice of `endpoints` is still pending `graceHours` after the end of the day.
 */
export async function countFailedTries(
  db: Database,
  endpoints: readonly string[],
  graceHours: number,
): Promise<number> {
  const { rows } = await sql<TriesOfOrganization>`
    with night as (
      select max(arguments ->> 'date') as day
      from etl.run
      where job = 'nightly'
    ),
    tries as (
      select
        run.org_key,
        run.run_id,
        run.status,
        run.finished_at >= (night.day::timestamp at time zone 'UTC') + (24 + ${graceHours}::float8) * interval '1 hour' as is_late,
        exists (
          select from etl.slice as slice
          where slice.org_key = run.org_key
            and slice.usage_date = night.day::date
            and slice.status = 'pending'
            and slice.endpoint = any(${endpoints})
        ) as is_pending
      from etl.run as run
      join night on run.arguments ->> 'date' = night.day
      where run.job = 'nightly' and run.status <> 'running'
    )
    select
      org_key,
      max(run_id)::float8 as last_run,
      (array_agg(status = 'succeeded' and not is_pending order by run_id desc))[1] as is_whole,
      count(*) filter (where status <> 'succeeded' or (is_pending and is_late))::int as bad
    from tries
    group by org_key
  `.execute(db);
  const last = Math.max(...rows.map(({ last_run }) => last_run));
  const bad = (of: readonly TriesOfOrganization[]) =>
    Math.max(0, ...of.map((each) => (each.is_whole ? 0 : each.bad)));
  // Tries without an organization count only if no later try got to know its organization.
  const ofNone = rows.filter(({ org_key, last_run }) => org_key === null && last_run === last);
  return bad(rows.filter(({ org_key }) => org_key !== null)) + bad(ofNone);
}
