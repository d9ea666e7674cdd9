/** The lock that a run holds while it lives: a `running` row whose lock nobody of ours holds is that of a dead process. */
import type pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';
import {
  isOfClassInSql,
  isOursInSql,
  ledgerTableInSql,
  lockClasses,
  readHolders,
  tryLock,
} from './advisory-locks.ts';
import { drawNumber } from './drawn-lock.ts';

const lockClass = lockClasses.run;

/** The number of the lock of a row `r` of `etl.run`, in SQL; also before the migration that brought the column. */
export const runNumberInSql = `coalesce((to_jsonb(r) ->> 'lock_number')::bigint, r.run_id & 2147483647)`;

/** A condition in SQL on a row `r` of `etl.run`: one of our sessions holds its lock. */
export const isAliveInSql = `exists (
  select from pg_catalog.pg_locks as held
  join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
  where ${isOfClassInSql(lockClass)}
    and held.granted
    and held.objid::bigint = ${runNumberInSql}
    and ${isOursInSql}
)`;

/** Others may hold some numbers; nobody can hold so many that this does not do. */
const mostDraws = 1_000;

/** Locks a new number for as long as the connection lives, and returns it. */
export async function lockNewNumber(client: pg.ClientBase): Promise<number> {
  for (let draws = 0; draws < mostDraws; draws++) {
    const number = drawNumber();
    if (await tryLock(client, lockClass, number, 'alone')) return number;
  }
  throw new WarehouseError(
    `expected a free number for the lock of this run, got none in ${mostDraws} draws; see pg_locks for who holds them`,
  );
}

/**
 * Locks a run on this connection, in place of one that was lost; false while one of ours still holds the lock. Where
 * another role was quicker, the run gets another number.
 */
export async function lockRun(client: pg.ClientBase, runId: string): Promise<boolean> {
  const { rows } = await client.query<{ number: string }>(
    `select ${runNumberInSql} as number from etl.run as r where r.run_id = $1`,
    [runId],
  );
  const number = Number(rows[0]?.number);
  if (await tryLock(client, lockClass, number, 'alone')) return true;
  const holders = await readHolders(client, lockClass, number);
  if (holders.length === 0 || holders.some(({ isOurs }) => isOurs)) return false;
  await client.query('update etl.run set lock_number = $2 where run_id = $1', [
    runId,
    await lockNewNumber(client),
  ]);
  return true;
}

/** Gives the lock of a run back. */
export async function unlockRun(client: pg.ClientBase, runId: string): Promise<void> {
  await client.query(
    `select pg_advisory_unlock(${lockClass}, (${runNumberInSql})::integer) from etl.run as r where r.run_id = $1`,
    [runId],
  );
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
    join pg_catalog.pg_locks as held on ${isOfClassInSql(lockClass)} and held.granted and held.objid::bigint = ${runNumberInSql}
    join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
    where r.status = 'running' and ${isOursInSql}
    order by r.run_id`,
  );
  return rows.map(({ run_id, job, since, pid }) => ({ runId: run_id, job, since, pid }));
}
