/** Runs the library of the queue: it takes jobs for a worker, and hands each to `work`. */
import { setTimeout as delay } from 'node:timers/promises';
import { explain } from '../../model/errors.ts';
import { type QueueTask, queueTasks } from '../../model/queue-job.ts';
import type { Log } from '../../reporting/log.ts';
import { queueSchema } from '../../warehouse/connection/trusted-roles.ts';
import type { QueueConnection } from '../../warehouse/queue/queue-connection.ts';
import {
  type LibraryStatement,
  loadQueueLibrary,
  loggerForLibrary,
  poolForLibrary,
} from '../../warehouse/queue/queue-library.ts';

/** A job as the library hands it over. */
export interface HandedJob {
  readonly task: QueueTask;
  readonly id: string;
  readonly revision: number;
  /** Anything. */
  readonly payload: unknown;
}

/** How jobs are taken. */
export interface TakingOptions {
  /** The worker's connection; it exists as soon as the pool id is known. */
  readonly openQueue: (poolId: string) => QueueConnection;
  /** Jobs at once. */
  readonly concurrency: number;
  /** Whether a job may be taken now. */
  readonly mayTake: () => boolean;
  /** Works on a job and settles it. Must not throw. */
  readonly work: (job: HandedJob) => Promise<void>;
  readonly log: Pick<Log, 'debug' | 'warn'>;
}

/** A worker that takes jobs. */
export interface JobTaker {
  readonly poolId: string;
  readonly queue: QueueConnection;
  /** Takes no further job; resolves when the jobs in hand are settled. */
  stop(): Promise<void>;
}

/** A free worker looks for a job so often. Rarely, many free workers would miss jobs: each look locks all free queues. */
const pollIntervalMs = 250;

/** Begins to take jobs as soon as the queue connection holds the lock of the worker. */
export async function takeJobs(options: TakingOptions): Promise<JobTaker> {
  const { openQueue, concurrency, mayTake, work, log } = options;
  const { runTaskList } = await loadQueueLibrary();
  const logger = await loggerForLibrary((_, sentence) => log.debug(sentence));
  let isStopping = false;
  let queue: QueueConnection | undefined;

  /** Jobs are settled elsewhere, and locks of dead workers are freed elsewhere: of the library only the looks are used. */
  async function answer(statement: LibraryStatement) {
    const nothing = { rows: [] };
    const isLook = statement.name?.startsWith('get_job') === true;
    const isPreparation = statement.name === undefined && statement.text.includes('_private_tasks');
    if (!isLook && !isPreparation) return nothing;
    // The pool id is known only after the first statement was prepared.
    while (queue === undefined) await delay(0);
    if (isLook && (isStopping || !mayTake() || !queue.isHeld)) return nothing;
    try {
      return await queue.use((client) => client.query(statement));
    } catch (error) {
      if (!isLook) throw error;
      if (!isStopping) log.warn({ reason: explain(error) }, 'no job can be taken; this is tried again');
      return nothing;
    }
  }

  const taskOf =
    (task: QueueTask) =>
    async (payload: unknown, { job }: { job: { id: string; revision: number } }) =>
      work({ task, id: job.id, revision: job.revision, payload });
  const [nightly, backfill] = queueTasks;
  const pool = runTaskList(
    { schema: queueSchema, concurrency, pollInterval: pollIntervalMs, noHandleSignals: true, logger },
    { [nightly]: taskOf(nightly), [backfill]: taskOf(backfill) },
    poolForLibrary(answer),
  );
  queue = openQueue(pool.id);
  // Takes the lock of the worker now, and not with its first statement: a look without the lock takes no job.
  queue.use((client) => client.query('select')).catch(() => undefined);
  return {
    poolId: pool.id,
    queue,
    async stop() {
      isStopping = true;
      await pool.gracefulShutdown();
    },
  };
}
