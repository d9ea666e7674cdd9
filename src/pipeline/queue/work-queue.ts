/** `worker`: takes jobs from the queue and does them, until a signal ends it. */
import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import { yesterday } from '../../model/day.ts';
import { ConfigurationError, explain } from '../../model/errors.ts';
import { type JobOutcome, type QueueTask, readQueueJob } from '../../model/queue-job.ts';
import { defaultTiming, type Timing } from '../../model/timing.ts';
import { openPool } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners } from '../../warehouse/connection/foreign-owners.ts';
import { withClient } from '../../warehouse/connection/one-client.ts';
import { QueueConnection } from '../../warehouse/queue/queue-connection.ts';
import { refuseUnusableQueue } from '../../warehouse/queue/queue-schema.ts';
import { returnAllJobs, type Settlement, settleJob } from '../../warehouse/queue/settle-job.ts';
import { holdPool } from '../../warehouse/queue/worker-pools.ts';
import type { JobSurroundings, OpenSurroundings } from '../runs/job-surroundings.ts';
import { type SharedByRuns, shareAmongRuns } from '../runs/shared-by-runs.ts';
import { withSharedWarehouse } from '../runs/with-warehouse.ts';
import { performJob } from './perform-job.ts';
import { keepQueue } from './queue-keeper.ts';
import { takeInSpools } from './take-in-spools.ts';
import { type HandedJob, takeJobs } from './take-jobs.ts';
import { afterWork, outcomeOf, whileMissing } from './what-follows.ts';

/** How a worker works. */
export interface WorkerOptions {
  /** Jobs at once. */
  readonly concurrency: number;
  /** Reads settings, the file and its keys anew. */
  readonly readSettings: () => Promise<JobSurroundings>;
  /** Called after each job. */
  readonly onJob: (task: QueueTask, outcome: JobOutcome) => void;
  /** Called when the worker begins to take jobs. */
  readonly onReady: () => Promise<void>;
}

/** One for the statements; it holds the lock of the worker, too. */
const connectionsOfQueue = 1;

/** Jobs by outcome. */
export type JobCounts = Readonly<Record<JobOutcome, number>>;

/**
 * Works until the signal aborts; then the jobs in hand are given back. Returns their numbers by outcome. Throws
 * `ConfigurationError` if the database or its queue cannot be used.
 */
export function workQueue(surroundings: JobSurroundings, options: WorkerOptions): Promise<JobCounts> {
  const maxDatabaseConnections = surroundings.config.maxDatabaseConnections - connectionsOfQueue;
  const config = { ...surroundings.config, maxDatabaseConnections };
  const timing = noticingSoon(surroundings.timing ?? defaultTiming);
  return withSharedWarehouse({ ...surroundings, config, timing }, 'writes', async (open) => {
    const { log, abort, warehouse } = open;
    await withClient(warehouse.pool, async (client) =>
      refuseUnusableQueue(client, await refuseForeignOwners(client)),
    );
    const worker = new Worker(open, options);
    // Without the signal: what is in hand is settled after it.
    const pool = openPool(warehouse.url, connectionsOfQueue, { limits: config, timing });
    const hold = (poolId: string) => (client: pg.ClientBase) => holdPool(client, poolId);
    const taker = await takeJobs({
      openQueue: (poolId) =>
        new QueueConnection(pool, { hold: hold(poolId), warn: (sentence) => log.warn(sentence) }),
      concurrency: options.concurrency,
      mayTake: () => worker.mayTake,
      work: (job) => worker.work(job, taker),
      log,
    });
    try {
      await taker.queue.use((client) => client.query('select'));
      await options.onReady();
      const { signal } = abort;
      const kept = {
        ...taker,
        log,
        signal,
        betweenLooksMs: timing.betweenQueueLooksMs,
        inHand: () => worker.inHand,
      };
      await Promise.all([keepQueue(kept), takeInSpools(open, options.readSettings)]).catch(
        (error: unknown) => {
          if (!signal.aborted) abort.abort(error);
          throw error;
        },
      );
    } finally {
      await taker.stop();
      await taker.queue.use((client) => returnAllJobs(client, taker.poolId)).catch(() => undefined);
      await taker.queue.close();
      await pool.end();
    }
    return worker.counts;
  });
}

/**
 * A worker whose network is cut must end its runs before another one takes its jobs over, so that two never ask the platform
 * for one organization. The server notices the cut after 25 s, and the others some seconds later.
 */
function noticingSoon(timing: Timing): Timing {
  return {
    ...timing,
    betweenBeatsMs: Math.min(timing.betweenBeatsMs, 5_000),
    longestSilenceMs: Math.min(timing.longestSilenceMs, 10_000),
  };
}

/** Does the jobs of a worker, and settles them. */
class Worker {
  readonly counts: Record<JobOutcome, number> = { done: 0, failed: 0, again: 0, returned: 0 };
  readonly #open: OpenSurroundings;
  readonly #options: WorkerOptions;
  readonly #inHand = new Set<string>();
  #shared: SharedByRuns | undefined;

  constructor(open: OpenSurroundings, options: WorkerOptions) {
    this.#open = open;
    this.#options = options;
  }

  get inHand(): readonly string[] {
    return [...this.#inHand];
  }

  get mayTake(): boolean {
    return !this.#open.abort.signal.aborted && !(this.#isSharedLost && this.#inHand.size > 0);
  }

  /** The runs have lost their locks for good. The next run needs new ones, when all of these have ended. */
  get #isSharedLost(): boolean {
    return this.#shared?.locks.unreached !== undefined;
  }

  async work(job: HandedJob, { poolId, queue }: { poolId: string; queue: QueueConnection }): Promise<void> {
    const { log } = this.#open;
    const { id, task, revision } = job;
    this.#inHand.add(id);
    try {
      const settlement = await this.#do(job);
      const isOurs = await queue.use((client) => settleJob(client, { id, poolId, revision }, settlement));
      const outcome = outcomeOf(settlement);
      this.counts[outcome] += 1;
      this.#options.onJob(task, outcome);
      if (!isOurs) log.warn({ job: id }, 'another worker has taken this job over meanwhile');
      if (settlement.becomes === 'ended')
        log.error({ job: id, task, reason: settlement.reason }, 'the job ended');
      if (settlement.becomes === 'due')
        log.warn(
          { job: id, task, reason: settlement.reason, seconds: settlement.afterMs / 1000 },
          'the job is due again',
        );
    } catch (error) {
      log.error({ job: id, task, reason: explain(error) }, 'the job could not be settled');
    } finally {
      this.#inHand.delete(id);
    }
  }

  async #do({ task, payload }: HandedJob): Promise<Settlement> {
    const { abort, clock, timing, warehouse } = this.#open;
    const job = readQueueJob(task, payload, yesterday(clock));
    if (typeof job === 'string') return { becomes: 'ended', reason: job };
    let renewed: JobSurroundings;
    try {
      renewed = await this.#options.readSettings();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      // The file may be half written. Other workers may have a good one.
      this.#open.log.error({ reason: explain(error) }, 'the settings cannot be used');
      return whileMissing(job, clock());
    }
    const entry = renewed.config.organizations?.find(({ name }) => name === job.payload.organization);
    if (entry === undefined) return whileMissing(job, clock());
    const end = await performJob(entry, job, {
      ...renewed,
      abort,
      clock,
      timing,
      warehouse,
      shared: this.#sharedNow(renewed.config),
    });
    return afterWork(job, end, abort.signal.aborted);
  }

  #sharedNow(config: Config): SharedByRuns {
    // The job that asks is in hand itself.
    if (this.#isSharedLost && this.#inHand.size === 1) this.#shared = undefined;
    this.#shared ??= shareAmongRuns(this.#open.warehouse, config, this.#open.abort.signal);
    return this.#shared;
  }
}
