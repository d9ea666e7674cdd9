/**
 * Each worker has a pool id, under which the library locks jobs, and holds an advisory lock on it until its process ends. If
 * a job is locked and no session of ours holds the lock of its pool, the worker is dead.
 */
import type pg from 'pg';
import {
  isLockInSql,
  isOursInSql,
  lockNumberInSql,
  readLockNumber,
  takeUnlessOurs,
} from '../locks/advisory-locks.ts';

/** The lock of the process that orders the nights. Locks of organizations and runs are above 0. */
const schedulerObject = -1;

/** An SQL expression for the lock of a pool; `poolId` is an SQL expression. All of them are below `schedulerObject`. */
const poolObjectInSql = (poolId: string) => `(-2 - (hashtext(${poolId}) & ${2 ** 30 - 1}))`;

/** Jobs that were locked just now are left alone: their worker may be about to take its lock. */
export const youngLockSeconds = 15;

/**
 * Locks a pool until the connection ends; false if another session of ours holds the lock. Throws `ForeignLockError` if
 * somebody else holds it.
 */
export async function holdPool(client: pg.ClientBase, poolId: string): Promise<boolean> {
  const { rows } = await client.query<{ object: number }>(`select ${poolObjectInSql('$1::text')} as object`, [
    poolId,
  ]);
  return await takeUnlessOurs(client, rows[0]?.object ?? 0, 'the lock of this worker');
}

/** The same for the lock of the process that orders the nights. */
export function holdScheduler(client: pg.ClientBase): Promise<boolean> {
  return takeUnlessOurs(client, schedulerObject, 'the lock of schedule --enqueue');
}

/** The pools that have jobs, and whose workers are dead. */
export async function readDeadPools(client: pg.ClientBase): Promise<string[]> {
  await readLockNumber(client);
  const { rows } = await client.query<{ pool: string }>(
    `select distinct job.locked_by as pool
    from etl_queue._private_jobs as job
    where job.locked_at < now() - interval '${youngLockSeconds} seconds'
      and not exists (
        select
        from pg_catalog.pg_locks as held
        join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
        where ${isLockInSql(lockNumberInSql, poolObjectInSql('job.locked_by'))} and held.granted and ${isOursInSql}
      )`,
  );
  return rows.map(({ pool }) => pool);
}

/** Frees the jobs and queues of pools. */
export async function freePools(client: pg.ClientBase, poolIds: readonly string[]): Promise<void> {
  await client.query('select etl_queue.force_unlock_workers($1)', [poolIds]);
}
