/**
 * Every run holds a lock on its id until its process ends. If a row of `etl.run` is `running` and no session of ours holds
 * its lock, the process is dead.
 */
import type pg from 'pg';
import {
  isLockInSql,
  isOursInSql,
  ledgerTableInSql,
  lockNumberInSql,
  takeUnlessOurs,
} from './advisory-locks.ts';

/**
 * Locks of runs start here; keys of organizations are below. Two runs whose ids differ by a multiple of this number share a
 * lock, but the older one has ended long ago.
 */
const runsFrom = 2 ** 30;

/** An SQL expression for both arguments of the lock function; `runId` is an SQL expression for the id of the run. */
export function runLockInSql(runId: string): string {
  return `${lockNumberInSql}, ${objectInSql(runId)}`;
}

function objectInSql(runId: string): string {
  return `(${runsFrom} + ${runId} % ${runsFrom})::integer`;
}

const isLockedInSql = `${isLockInSql(lockNumberInSql, objectInSql('r.run_id'))} and held.granted`;
const isHeldInSql = `${isLockedInSql} and ${isOursInSql}`;

/** A replica shows the rows of the ledger, but not the locks of the server where the runs are. */
const isReplicaInSql = `(
  pg_catalog.pg_is_in_recovery()
  or exists (select from pg_catalog.pg_subscription_rel where srrelid = ${ledgerTableInSql('run')})
)`;

/**
 * An SQL condition on a row `r` of `etl.run`: it is `running`, and no session at all holds its lock. A role that only reads
 * may not see whose session it is, so this counts the sessions of others too. False on a replica.
 */
export const isDeadInSql = `case when r.status = 'running' and not ${isReplicaInSql} then not exists (
  select from pg_catalog.pg_locks as held where ${isLockedInSql}
) else false end`;

/** An SQL condition on a row `r` of `etl.run`: one of our sessions holds its lock. */
export const isAliveInSql = `exists (
  select from pg_catalog.pg_locks as held
  join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
  where ${isHeldInSql}
)`;

/**
 * Locks a run until the connection ends; false when another connection of ours holds the lock. Throws `ForeignLockError`
 * when somebody else holds it.
 */
export function lockRun(client: pg.ClientBase, runId: string): Promise<boolean> {
  const object = runsFrom + Number(BigInt(runId) % BigInt(runsFrom));
  return takeUnlessOurs(client, object, 'the lock of this run');
}

/** Releases the lock of a run. */
export async function unlockRun(client: pg.ClientBase, runId: string): Promise<void> {
  await client.query(`select pg_catalog.pg_advisory_unlock(${runLockInSql('$1::bigint')})`, [runId]);
}

/** A run whose process lives. */
export interface LivingRun {
  readonly runId: string;
  readonly job: string;
  /** ISO 8601 in UTC. */
  readonly since: string;
  /** The server process that holds its lock. */
  readonly pid: number;
}

/** The runs in progress; none if our role may not read `etl.run` or there is no such table yet. */
export async function readLivingRuns(client: pg.ClientBase): Promise<LivingRun[]> {
  const { rows: known } = await client.query<{ has_runs: boolean }>(
    `select coalesce(has_table_privilege(${ledgerTableInSql('run')}, 'SELECT'), false) as has_runs`,
  );
  if (known[0]?.has_runs !== true) return [];
  const { rows } = await client.query<{ run_id: string; job: string; since: string; pid: number }>(
    `select
      r.run_id,
      r.job,
      to_char(r.started_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
      held.pid
    from etl.run as r
    cross join pg_catalog.pg_locks as held
    join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
    where r.status = 'running' and ${isHeldInSql}
    order by r.run_id`,
  );
  return rows.map(({ run_id, job, since, pid }) => ({ runId: run_id, job, since, pid }));
}
