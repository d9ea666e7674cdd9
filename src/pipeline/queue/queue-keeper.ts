/** What a worker does beside its jobs: it frees the jobs of dead workers, and removes what nobody needs any more. */
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError, explain, WarehouseError } from '../../model/errors.ts';
import type { Log } from '../../reporting/log.ts';
import { sessionOf } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners } from '../../warehouse/connection/foreign-owners.ts';
import { closeDeadRuns } from '../../warehouse/ledger/run-ledger.ts';
import type { QueueConnection } from '../../warehouse/queue/queue-connection.ts';
import { removeEmptyQueues } from '../../warehouse/queue/queue-figures.ts';
import { refuseUnusableQueue } from '../../warehouse/queue/queue-schema.ts';
import { returnLostJobs } from '../../warehouse/queue/settle-job.ts';
import { freePools, readDeadPools, youngLockSeconds } from '../../warehouse/queue/worker-pools.ts';

const dayMs = 86_400_000;

/** The worker, as far as this needs it. */
export interface KeptWorker {
  readonly queue: QueueConnection;
  readonly poolId: string;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Ends the work. */
  readonly signal: AbortSignal;
  readonly betweenLooksMs: number;
  /** The ids of the jobs that it works on. */
  readonly inHand: () => readonly string[];
}

/**
 * Looks after the queue until the signal aborts. Throws `WarehouseError` if the queue cannot be used any more, for
 * example because another version of the library has changed it.
 */
export async function keepQueue(worker: KeptWorker): Promise<void> {
  const { queue, log, signal, betweenLooksMs } = worker;
  let suspects: readonly string[] = [];
  let cleanedMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    try {
      await queue.use(async (client) => refuseUnusableQueue(client, await refuseForeignOwners(client)));
      await queue.use((client) => returnLostJobs(client, worker.poolId, worker.inHand(), youngLockSeconds));
      suspects = await freeDead(worker, suspects);
      if (performance.now() - cleanedMs >= dayMs) {
        await queue.use(removeEmptyQueues);
        cleanedMs = performance.now();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ConfigurationError)
        throw new WarehouseError('the queue cannot be used any more', { cause: error });
      log.warn({ reason: explain(error) }, 'the queue could not be looked after; this is tried again');
    }
    // Workers that may be dead are looked at again sooner.
    const waitMs = suspects.length > 0 ? betweenLooksMs / 2 : betweenLooksMs;
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Frees the jobs of workers that were dead at the last look, too: after a restart of the database a living worker needs a
 * moment to take its lock again. Returns those that are dead now.
 */
async function freeDead({ queue, log }: KeptWorker, suspects: readonly string[]): Promise<readonly string[]> {
  const dead = await queue.use(readDeadPools);
  const certain = dead.filter((poolId) => suspects.includes(poolId));
  if (certain.length === 0) return dead;
  await queue.use((client) => freePools(client, certain));
  // Otherwise the last run of a worker that was killed would stay open until the next run begins.
  const runs = await queue.use((client) => closeDeadRuns(sessionOf(client).db));
  log.warn({ workers: certain.length, runs: runs.length }, 'the jobs of workers that died are free again');
  return dead.filter((poolId) => !certain.includes(poolId));
}
