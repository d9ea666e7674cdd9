/**
 * Writes what becomes of a job that a worker had. The library would do that itself, but it does not wait for the answer,
 * and an error of the database would end the process. Each statement changes only a job that the worker still has.
 */
import type pg from 'pg';

/** A job that a worker has. */
export interface TakenJob {
  readonly id: string;
  /** The pool of the worker that has it. */
  readonly poolId: string;
  /** It was another number if an order had changed the job since. */
  readonly revision: number;
}

/** What becomes of it. */
export type Settlement =
  /** Nothing is left to do. If an order has widened the job meanwhile, it is due at once. */
  | { readonly becomes: 'deleted' }
  /** It stays with the reason, and nobody takes it before it is ordered again. */
  | { readonly becomes: 'ended'; readonly reason: string }
  /** It failed, and is due after a while. */
  | {
      readonly becomes: 'due';
      readonly afterMs: number;
      readonly reason: string;
      readonly payload: object;
    }
  /** It was not worked on, so the attempt does not count. */
  | { readonly becomes: 'returned'; readonly afterMs: number; readonly payload?: object };

/** Settles a job; false if the worker does not have it any more. */
export async function settleJob(
  client: pg.ClientBase,
  { id, poolId, revision }: TakenJob,
  settlement: Settlement,
): Promise<boolean> {
  if (settlement.becomes === 'deleted') {
    const { rowCount } = await client.query(
      freeing(`delete from etl_queue._private_jobs
      where id = $1 and locked_by = $2 and revision = $3
      returning job_queue_id`),
      [id, poolId, revision],
    );
    if (rowCount !== 0) return true;
  }
  const { afterMs, reason, payload, attempts } = changeOf(settlement);
  const { rowCount } = await client.query(
    freeing(`update etl_queue._private_jobs
      set
        locked_at = null,
        locked_by = null,
        attempts = ${attempts},
        run_at = case when $3::float8 is null then run_at else now() + $3 * interval '1 millisecond' end,
        last_error = $4::text,
        payload = case when revision = $5 then coalesce($6::json, payload) else payload end,
        updated_at = now()
      where id = $1 and locked_by = $2
      returning job_queue_id`),
    [id, poolId, afterMs, reason, revision, payload === undefined ? null : JSON.stringify(payload)],
  );
  return rowCount !== 0;
}

/** A statement that changes one job, and frees the queue that the pool `$2` has locked for it. Its rows are the jobs. */
function freeing(change: string): string {
  return `with changed as (
      ${change}
    ),
    freed as (
      update etl_queue._private_job_queues as queue
      set locked_at = null, locked_by = null
      from changed
      where queue.id = changed.job_queue_id and queue.locked_by = $2
    )
    select from changed`;
}

function changeOf(settlement: Settlement): {
  readonly afterMs: number | null;
  readonly reason: string | null;
  readonly payload?: object | undefined;
  /** SQL. */
  readonly attempts: string;
} {
  switch (settlement.becomes) {
    case 'deleted':
      return { afterMs: 0, reason: null, attempts: '0' };
    case 'ended':
      return { afterMs: null, reason: settlement.reason, attempts: 'max_attempts' };
    case 'due':
      return { ...settlement, attempts: 'attempts' };
    case 'returned':
      return { ...settlement, reason: null, attempts: 'greatest(attempts - 1, 0)' };
  }
}

/** Frees all jobs and queues that a pool has. The attempts that it began with them do not count. */
export async function returnAllJobs(client: pg.ClientBase, poolId: string): Promise<void> {
  await client.query(
    `update etl_queue._private_jobs
    set locked_at = null, locked_by = null, attempts = greatest(attempts - 1, 0)
    where locked_by = $1`,
    [poolId],
  );
  await client.query('select etl_queue.force_unlock_workers($1)', [[poolId]]);
}

/**
 * Frees the jobs that a pool has locked for some seconds and that its process does not have in hand: the answer that would
 * have brought them was lost.
 */
export async function returnLostJobs(
  client: pg.ClientBase,
  poolId: string,
  inHand: readonly string[],
  lockedForSeconds: number,
): Promise<void> {
  await client.query(
    `with lost as (
      update etl_queue._private_jobs
      set locked_at = null, locked_by = null, attempts = greatest(attempts - 1, 0)
      where locked_by = $1 and id <> all ($2::bigint[]) and locked_at < now() - $3 * interval '1 second'
      returning job_queue_id
    )
    update etl_queue._private_job_queues as queue
    set locked_at = null, locked_by = null
    from lost
    where queue.id = lost.job_queue_id and queue.locked_by = $1`,
    [poolId, inHand, lockedForSeconds],
  );
}
