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

/** Which of some jobs wait or run, and why others of them ended. */
export interface OpenJobs {
  /** Keys. */
  readonly waiting: ReadonlySet<string>;
  /** Reasons by key. */
  readonly ended: ReadonlyMap<string, string>;
}

/** Reads the jobs with these keys. */
export async function readOpenJobs(client: pg.ClientBase, keys: readonly string[]): Promise<OpenJobs> {
  const { rows } = await client.query<{ key: string; is_open: boolean; reason: string | null }>(
    `select key, is_available or locked_at is not null as is_open, last_error as reason
    from etl_queue._private_jobs
    where key = any ($1)`,
    [keys],
  );
  const open = rows.filter(({ is_open }) => is_open);
  const ended = rows.filter(({ is_open }) => !is_open);
  return {
    waiting: new Set(open.map(({ key }) => key)),
    ended: new Map(ended.map(({ key, reason }) => [key, reason ?? ''])),
  };
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
