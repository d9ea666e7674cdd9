/** The newest runs of each organization, and the newest runs that had no organization yet. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';
import { isDeadInSql } from '../locks/run-locks.ts';

/** A run as `status` shows it; the names are a public interface (`--json`). Times are ISO 8601 in UTC. */
export interface LastRun {
  readonly run_id: number;
  readonly job: string;
  /** Status of the run. A killed run stays `running` until the next run closes it. */
  readonly status: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly error: string | null;
  /** Whether it is `running`, and no process holds its lock any more. */
  readonly died: boolean;
  /**
   * For a load that ended before it knew its organization: when the first such load began after the newest one with an
   * organization. Null for other runs.
   */
  readonly failing_since: string | null;
}

/** The newest runs of one organization, or of all; null if there is none. The names are a public interface (`--json`). */
export interface LastRuns {
  readonly last_run: LastRun | null;
  /** The newest `nightly`, `backfill` or `replay`. */
  readonly last_load: LastRun | null;
  /** The newest run of any other command. */
  readonly last_other: LastRun | null;
}

/** By organization id; null for runs that ended before they knew their organization. */
export async function readLastRuns(db: Database): Promise<Map<string | null, LastRuns>> {
  const { rows } = await sql<LastRun & { organization: string | null; is_load: boolean }>`
    select
      org.org_id as organization,
      kind.is_load,
      r.run_id::float8 as run_id,
      r.job,
      r.status,
      to_char(r.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as started_at,
      to_char(r.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as finished_at,
      r.error,
      ${sql.raw(isDeadInSql)} as died,
      case when kind.is_load and r.org_key is null
        and (r.status in ('partial', 'failed') or ${sql.raw(isDeadInSql)}) then (
        select to_char(min(other.started_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        from etl.run as other
        where other.org_key is null
          and other.job in ('nightly', 'backfill', 'replay')
          and other.run_id > coalesce(
            (
              select max(known.run_id)
              from etl.run as known
              where known.org_key is not null
                and known.job in ('nightly', 'backfill', 'replay')
            ),
            0
          )
      ) end as failing_since
    from (
      select org_key, org_id from warehouse.dim_org
      union all
      select null, null
    ) as org
    cross join (values (true), (false)) as kind (is_load)
    -- the newest run of each by an index: there is a year of runs
    cross join lateral (
      (
        select *
        from etl.run
        where etl.run.org_key = org.org_key
          and (etl.run.job in ('nightly', 'backfill', 'replay')) = kind.is_load
        order by etl.run.run_id desc
        limit 1
      )
      union all
      (
        select *
        from etl.run
        where etl.run.org_key is null
          and org.org_key is null
          and (etl.run.job in ('nightly', 'backfill', 'replay')) = kind.is_load
        order by etl.run.run_id desc
        limit 1
      )
    ) as r
    order by r.org_key
  `.execute(db);
  const last = new Map<string | null, LastRuns>();
  for (const { organization, is_load, ...run } of rows) {
    const of = is_load ? { last_load: run, last_other: null } : { last_load: null, last_other: run };
    const before = last.get(organization);
    last.set(organization, newestRuns([{ last_run: run, ...of }, ...(before === undefined ? [] : [before])]));
  }
  return last;
}

/** The newest runs of several organizations. */
export function newestRuns(runs: readonly LastRuns[]): LastRuns {
  return {
    last_run: newest(runs.map(({ last_run }) => last_run)),
    last_load: newest(runs.map(({ last_load }) => last_load)),
    last_other: newest(runs.map(({ last_other }) => last_other)),
  };
}

function newest(runs: readonly (LastRun | null)[]): LastRun | null {
  return runs.reduce((last, run) => ((run?.run_id ?? 0) > (last?.run_id ?? 0) ? run : last), null);
}

/** The time of the database as text, because a `Date` would cut the microseconds. */
export async function databaseTime(db: Database): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
  return rows[0]?.now ?? '-infinity';
}

/** Whether a run other than `runId` was running at any time after `since`. */
export async function hasRunSince(db: Database, runId: string, since: string): Promise<boolean> {
  const { rows } = await sql`
    select from etl.run
    where run_id <> ${runId} and (status = 'running' or finished_at >= ${since}::timestamptz)
    limit 1
  `.execute(db);
  return rows.length > 0;
}
