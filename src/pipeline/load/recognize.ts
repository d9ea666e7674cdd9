/**
 * Recognizes unchanged slices by the digest of their bytes, and records many of them with one statement, without comparing
 * rows. An unchanged slice waits until there are several, because the statement is its only cost. All other slices are
 * loaded at once.
 */
import PQueue from 'p-queue';
import { flattenOf } from '../../flatten/flatten.ts';
import type { LoadOutcome } from '../../model/run.ts';
import type { Source } from '../../model/source.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { recordUnchanged } from '../../warehouse/ledger/slice-outcomes.ts';
import type { Receipt } from '../receive/receipt.ts';
import { failAll, isForAll, knownOf, type LoadContext, rowCountOf } from './load-context.ts';
import type { LoadQueue } from './load-queue.ts';

/** The outcome of an unchanged slice. */
export const unchanged: LoadOutcome = {
  result: 'unchanged',
  inserted: 0,
  updated: 0,
  deleted: 0,
  rejected: 0,
  refused: undefined,
};

/**
 * Whether the records of a slice are the same bytes as last time, and were flattened by the same version of the code.
 */
export function isRecognized(context: LoadContext, { slice, sourceHash }: Receipt): boolean {
  const before = knownOf(context, slice);
  if (context.force || before?.status !== 'loaded' || before.lastFailed) return false;
  return before.sourceHash?.equals(sourceHash) === true;
}

/**
 * Records and reports unchanged slices of one source. Returns the slices that must be loaded nevertheless: the tables
 * hold another number of rows than the ledger says, or recording failed, and loading will show why.
 */
export async function recordRecognized(
  context: LoadContext,
  same: readonly Receipt[],
): Promise<readonly Receipt[]> {
  const [first] = same;
  if (first === undefined) return [];
  const { pool, orgKey, runId, signal, onEvent } = context;
  const { tables } = flattenOf(first.source);
  let recorded: ReadonlySet<string>;
  try {
    recorded = await retryOnConnectionLoss(pool, signal, () =>
      withSession(pool, (session) => recordUnchanged(session, orgKey, runId, same, tables)),
    );
  } catch (error) {
    signal.throwIfAborted();
    return isForAll(error) ? failAll(context, same, error) : same;
  }
  for (const { slice } of same) {
    if (!recorded.has(slice.key)) continue;
    // A recognized slice has no rejected records and no repeated keys, so each record became one row.
    const rowsRead = rowCountOf(tables, knownOf(context, slice)?.tableRows ?? {});
    onEvent({ type: 'slice-done', slice, outcome: unchanged, rowsRead, drift: [] });
  }
  return same.filter(({ slice }) => !recorded.has(slice.key));
}

/** Options of the queue. */
export interface RecognizeQueueOptions {
  readonly isRecognized: (receipt: Receipt) => boolean;
  /** Records slices of one source; returns the slices that must be loaded nevertheless. */
  readonly record: (receipts: readonly Receipt[]) => Promise<readonly Receipt[]>;
  /** Takes receipts that must be loaded. */
  readonly loads: LoadQueue;
  /** The waiting receipts of a source are recorded when they have so many bytes. */
  readonly batchBytes: number;
  /** Called at once if recording throws. */
  readonly onFailed: (error: unknown) => void;
}

/** The waiting slices of a source are recorded when there are so many. */
const mostWaiting = 100;
/** The longest wait of a slice, so that the progress display moves. */
const longestWaitMs = 250;

/** Opens the queue. `add` resolves when there is room for more, `finish` when everything is recorded or loaded. */
export function openRecognizeQueue(options: RecognizeQueueOptions): LoadQueue {
  const { isRecognized, record, loads, batchBytes, onFailed } = options;
  const queue = new PQueue({ concurrency: 1 });
  const waitingOf = new Map<Source, Receipt[]>();
  const failures: unknown[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** Records the waiting slices of one source. */
  async function recordWaiting(source: Source): Promise<void> {
    const receipts = waitingOf.get(source)?.splice(0) ?? [];
    if (receipts.length === 0) return;
    try {
      const toLoad = new Set(await record(receipts));
      for (const receipt of receipts) if (!toLoad.has(receipt)) await receipt.release();
      if (toLoad.size > 0) await loads.add(source, [...toLoad]);
    } catch (error) {
      for (const receipt of receipts) await receipt.release();
      failures.push(error);
      onFailed(error);
    }
  }

  function recordAll(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const source of waitingOf.keys()) queue.add(() => recordWaiting(source));
  }

  return {
    async add(source, receipts) {
      const others: Receipt[] = [];
      const waiting = waitingOf.get(source) ?? [];
      waitingOf.set(source, waiting);
      for (const receipt of receipts) (isRecognized(receipt) ? waiting : others).push(receipt);
      if (waiting.length > 0) timer ??= setTimeout(recordAll, longestWaitMs);
      const bytes = waiting.reduce((sum, receipt) => sum + receipt.bytes, 0);
      await Promise.all([
        others.length === 0 ? undefined : loads.add(source, others),
        waiting.length < mostWaiting && bytes < batchBytes
          ? undefined
          : queue.add(() => recordWaiting(source)),
      ]);
    },
    async finish() {
      recordAll();
      await queue.onIdle();
      await loads.finish();
      if (failures.length > 0) throw failures[0];
    },
  };
}
