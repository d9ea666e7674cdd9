/** Loads receipts while more are received. Receipts that come during a load wait, and are loaded together. */
import PQueue from 'p-queue';
import type { Source } from '../../model/source.ts';
import type { Receipt } from '../receive/receipt.ts';
import { mostLoads } from '../runs/connections-of-run.ts';
import { createLoadAdmission } from '../runs/load-admission.ts';

/** A queue of receipts to load. */
export interface LoadQueue {
  /** Takes receipts of one source. Resolves when there is room for more: the caller receives nothing until then. */
  add(source: Source, receipts: readonly Receipt[]): Promise<void>;
  /** Resolves when all receipts are loaded; rejects with what a load threw. */
  finish(): Promise<void>;
}

/** Most slices that are loaded together, unless one entry has more: their ledger rows must fit into one statement. */
const mostSlices = 100;

/** Receipts that one call of `add` brought. */
interface QueueEntry {
  readonly receipts: readonly Receipt[];
  readonly bytes: number;
  /** Resolves the promise that `add` returned. */
  readonly onRoom: () => void;
}

/** The queue of one source. */
interface SourceQueue {
  readonly waiting: QueueEntry[];
  loading: number;
}

/**
 * Opens a queue that loads the receipts of a source in batches of `batchBytes`. A batch is larger only if a single
 * entry is. The first receipts of a source are loaded at once; later ones wait until that load ends, or until they
 * fill a batch. `admission` says when a load may begin; by default all loads together hold at most eight times `batchBytes`
 * in memory, unless one alone has more. `onFailed` is called at once if a load throws.
 */
export function openLoadQueue(
  load: (source: Source, receipts: readonly Receipt[]) => Promise<void>,
  batchBytes: number,
  onFailed: (error: unknown) => void,
  admission = createLoadAdmission(mostLoads, 2 * mostLoads * batchBytes),
): LoadQueue {
  const queue = new PQueue({ concurrency: mostLoads });
  const sourceQueues = new Map<Source, SourceQueue>();
  const failures: unknown[] = [];

  async function loadNext(source: Source, sourceQueue: SourceQueue): Promise<void> {
    const { waiting } = sourceQueue;
    const batch = await admission.takeMemory((reserve) => {
      const next = nextBatch(waiting);
      return reserve(bytesInMemory(next)) ? waiting.splice(0, next.length) : undefined;
    });
    tellRoom(sourceQueue);
    for (const { onRoom } of batch) onRoom();
    const receipts = batch.flatMap((entry) => entry.receipts);
    try {
      // There are none if an earlier load has taken them.
      if (receipts.length > 0) await load(source, receipts).finally(() => releaseAll(receipts));
    } catch (error) {
      failures.push(error);
      onFailed(error);
    }
    sourceQueue.loading -= 1;
    admission.giveMemory(bytesInMemory(batch));
    begin(source, sourceQueue);
  }

  /** Begins a load if receipts of the source wait, and either no load of the source runs or they fill a batch. */
  function begin(source: Source, sourceQueue: SourceQueue): void {
    if (sourceQueue.waiting.length === 0 || (sourceQueue.loading > 0 && !isFull(sourceQueue))) return;
    sourceQueue.loading += 1;
    queue.add(() => admission.run(() => loadNext(source, sourceQueue)));
  }

  function tellRoom(sourceQueue: SourceQueue): void {
    if (!isFull(sourceQueue)) for (const { onRoom } of sourceQueue.waiting) onRoom();
  }

  /** Whether the waiting receipts fill a batch. */
  function isFull({ waiting }: SourceQueue): boolean {
    const slices = waiting.reduce((sum, { receipts }) => sum + receipts.length, 0);
    return slices >= mostSlices || waiting.reduce((sum, { bytes }) => sum + bytes, 0) >= batchBytes;
  }

  function nextBatch(waiting: readonly QueueEntry[]): readonly QueueEntry[] {
    let [sum, slices] = [0, 0];
    const end = waiting.findIndex(({ bytes, receipts }, index) => {
      sum += bytes;
      slices += receipts.length;
      return index > 0 && (sum > batchBytes || slices > mostSlices);
    });
    return waiting.slice(0, end === -1 ? waiting.length : end);
  }

  return {
    add(source, receipts) {
      const sourceQueue = sourceQueues.get(source) ?? { waiting: [], loading: 0 };
      sourceQueues.set(source, sourceQueue);
      const bytes = receipts.reduce((sum, receipt) => sum + receipt.bytes, 0);
      return new Promise((onRoom) => {
        sourceQueue.waiting.push({ receipts, bytes, onRoom });
        tellRoom(sourceQueue);
        begin(source, sourceQueue);
      });
    },
    async finish() {
      await queue.onIdle();
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The memory that a load needs: of a large slice only the largest chunk is in memory. */
function bytesInMemory(batch: readonly QueueEntry[]): number {
  return batch.reduce(
    (sum, { receipts }) => receipts.reduce((bytes, { largestChunkBytes }) => bytes + largestChunkBytes, sum),
    0,
  );
}

async function releaseAll(receipts: readonly Receipt[]): Promise<void> {
  for (const receipt of receipts) await receipt.release();
}
