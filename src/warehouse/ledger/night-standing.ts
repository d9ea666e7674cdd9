/** How far a night is for organizations of ORGANIZATIONS_FILE, from the ledger. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { RunStatus } from '../../model/run.ts';
import type { Database } from '../connection/connection.ts';
import type { SliceName } from './slice-ledger.ts';

/** The last run of a night for an organization. */
export interface NightStanding {
  readonly runId: number;
  readonly status: RunStatus;
  /** Its error, sanitized. */
  readonly error: string | null;
  /** Slices of the night's day that are pending. */
  readonly pending: readonly SliceName[];
  /** Slices whose last reading failed in this run. */
  readonly failed: readonly SliceName[];
  readonly hasRefused: boolean;
}

/** The last run that has ended, by name; without names for which there is none. */
export async function readNightStandings(
  db: Database,
  night: Day,
  names: readonly string[],
): Promise<ReadonlyMap<string, NightStanding>> {
  const { rows } = await sql<{
    name: string;
    run_id: number;
    status: RunStatus;
    error: string | null;
    pending: SliceName[];
    failed: SliceName[];
    has_refused: boolean;
  }>`
    with tried as (
      select distinct on (run.arguments ->> 'organization')
        run.arguments ->> 'organization' as name,
        run.run_id,
        run.status,
        run.error,
        run.org_key,
        run.started_at
      from etl.run as run
      where run.started_at >= ${night}::date
        and run.job = 'nightly'
        and run.status <> 'running'
        and run.arguments ->> 'date' = ${night}
        and run.arguments ->> 'organization' = any(${names})
      order by run.arguments ->> 'organization', run.run_id desc
    )
    select
      tried.name,
      tried.run_id::float8 as run_id,
      tried.status,
      tried.error,
      coalesce(open.pending, '[]') as pending,
      coalesce(open.failed, '[]') as failed,
      coalesce(open.has_refused, false) as has_refused
    from tried
    left join lateral (
      select
        json_agg(named.slice) filter (where slice.status = 'pending' and slice.usage_date = ${night}) as pending,
        json_agg(named.slice) filter (where named.has_failed) as failed,
        bool_or(slice.refused_at >= tried.started_at) as has_refused
      from etl.slice as slice
      cross join lateral (
        select
          json_build_object('endpoint', slice.endpoint, 'key', slice.slice_key) as slice,
          slice.last_failed_at >= tried.started_at
            and slice.last_failed_at is distinct from slice.refused_at as has_failed
      ) as named
      where slice.org_key = tried.org_key
        and (
          (slice.status = 'pending' and slice.usage_date = ${night})
          or slice.last_failed_at >= tried.started_at
        )
    ) as open on true
  `.execute(db);
  return new Map(
    rows.map(({ name, run_id, has_refused, ...rest }) => [
      name,
      { ...rest, runId: run_id, hasRefused: has_refused },
    ]),
  );
}
