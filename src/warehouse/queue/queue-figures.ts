/** Counts the jobs of the queue, and removes what nobody needs any more. */
import type pg from 'pg';

/** The states of jobs. `failed`: it ended with a reason, and nobody takes it before it is ordered again. */
export const jobStates = ['due', 'waiting', 'running', 'failed'] as const;

export type JobState = (typeof jobStates)[number];

/** The jobs of the queue. */
export interface QueueFigures {
  readonly jobs: Readonly<Record<JobState, number>>;
  /** For how long the job that waits longest has been due; 0 if none is due. */
  readonly oldestDueSeconds: number;
}

/** Reads the figures. The queue must exist. */
export async function readQueueFigures(client: pg.ClientBase): Promise<QueueFigures> {
  const { rows } = await client.query<Record<JobState | 'oldest', number>>(
    `select
      (count(*) filter (where is_available and run_at <= now()))::float8 as due,
      (count(*) filter (where is_available and run_at > now()))::float8 as waiting,
      (count(*) filter (where locked_at is not null))::float8 as running,
      (count(*) filter (where locked_at is null and not is_available))::float8 as failed,
      coalesce(
        extract(epoch from now() - min(run_at) filter (where is_available and run_at <= now())), 0
      )::float8 as oldest
    from etl_queue._private_jobs`,
  );
  const { oldest = 0, due = 0, waiting = 0, running = 0, failed = 0 } = rows[0] ?? {};
  return { jobs: { due, waiting, running, failed }, oldestDueSeconds: oldest };
}

/** How many of these jobs wait or run. */
export async function countOpenJobs(client: pg.ClientBase, keys: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ open: number }>(
    `select count(*)::float8 as open
    from etl_queue._private_jobs
    where key = any ($1) and (is_available or locked_at is not null)`,
    [keys],
  );
  return rows[0]?.open ?? 0;
}

/** Removes queues without jobs: each look for a job locks all free queues. */
export async function removeEmptyQueues(client: pg.ClientBase): Promise<void> {
  await client.query(
    `delete from etl_queue._private_job_queues as queue
    where queue.id in (
      select empty.id
      from etl_queue._private_job_queues as empty
      where empty.locked_at is null
        and not exists (select from etl_queue._private_jobs as job where job.job_queue_id = empty.id)
      for update skip locked
    )`,
  );
}
