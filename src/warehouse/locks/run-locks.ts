/** The lock that a run holds while it lives: a `running` row whose lock nobody of ours holds is that of a dead process. */
import type pg from 'pg';
import {
  isLockInSql,
  isOursInSql,
  ledgerTableInSql,
  lockNumberInSql,
  takeUnlessOurs,
} from './advisory-locks.ts';

/** Keys of organizations lie below; of two runs that are so far apart, one has ended long ago. */
const runsFrom = 2 ** 30;

/** The lock of a run in SQL, which `runId` is in SQL: both halves of its name. */
export function runLockInSql(runId: string): string {
  return `${lockNumberInSql}, ${objectInSql(runId)}`;
}

function objectInSql(runId: string): string {
  return `(${runsFrom} + ${runId} % ${runsFrom})::integer`;
}

const isHeldInSql = `${isLockInSql(lockNumberInSql, objectInSql('r.run_id'))} and held.granted and ${isOursInSql}`;

/** A condition in SQL on a row `r` of `etl.run`: one of our sessions holds its lock. */
export const isAliveInSql = `exists (
  select from pg_catalog.pg_locks as held
  join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
  where ${isHeldInSql}
)`;

/**
 * Locks a run for as long as the connection lives; false while another connection of ours has it. Throws
 * `ForeignLockError` when somebody else has.
 */
export function lockRun(client: pg.ClientBase, runId: string): Promise<boolean> {
  const object = runsFrom + Number(BigInt(runId) % BigInt(runsFrom));
  return takeUnlessOurs(client, object, 'the lock of this run');
}

/** Gives the lock of a run back. */
export async function unlockRun(client: pg.ClientBase, runId: string): Promise<void> {
  await client.query(`select pg_catalog.pg_advisory_unlock(${runLockInSql('$1::bigint')})`, [runId]);
}

/** A run whose process lives, and the process of the server that holds its lock. */
export interface LivingRun {
  readonly runId: string;
  readonly job: string;
  /** ISO 8601 in UTC. */
  readonly since: string;
  readonly pid: number;
}

/** The runs that are in progress; none where our role may not see them, or there is no ledger yet. */
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
