/** Loads while more is received. What comes while others are being loaded waits, and is loaded together. */
import PQueue from 'p-queue';
import type { Source } from '../../model/source.ts';
import type { Receipt } from '../receive/receipt.ts';

/** Receipts on their way into the warehouse. */
export interface LoadQueue {
  /** Takes receipts of one source. Resolves when their load begins: until then the caller receives nothing more. */
  add(source: Source, receipts: readonly Receipt[]): Promise<void>;
  /** Resolves when all are loaded; rejects with what a load threw. */
  finish(): Promise<void>;
}

/** Loads at once: one alone would mostly wait for the database. */
export const mostLoads = 4;

/** Receipts that were handed over together. */
interface Delivery {
  readonly receipts: readonly Receipt[];
  /** Tells the caller of `add` that they are being loaded. */
  readonly onTaken: () => void;
}

/**
 * Opens a queue that loads the receipts of a source in groups. A group has at most `groupBytes`, unless a single
 * delivery has more. `onFailed` hears at once of a group that throws.
 */
export function openLoadQueue(
  load: (source: Source, receipts: readonly Receipt[]) => Promise<void>,
  groupBytes: number,
  onFailed: (error: unknown) => void,
): LoadQueue {
  const queue = new PQueue({ concurrency: mostLoads });
  const waitingOf = new Map<Source, Delivery[]>();
  const failures: unknown[] = [];

  async function loadNext(source: Source, waiting: Delivery[]): Promise<void> {
    const group = takeGroup(waiting, groupBytes);
    for (const { onTaken } of group) onTaken();
    const receipts = group.flatMap((delivery) => delivery.receipts);
    try {
      // None, when an earlier group has taken them.
      if (receipts.length > 0) await load(source, receipts).finally(() => releaseAll(receipts));
    } catch (error) {
      failures.push(error);
      onFailed(error);
    }
  }

  return {
    add(source, receipts) {
      const waiting = waitingOf.get(source) ?? [];
      waitingOf.set(source, waiting);
      return new Promise((onTaken) => {
        waiting.push({ receipts, onTaken });
        queue.add(() => loadNext(source, waiting));
      });
    },
    async finish() {
      await queue.onIdle();
      if (failures.length > 0) throw failures[0];
    },
  };
}

async function releaseAll(receipts: readonly Receipt[]): Promise<void> {
  for (const receipt of receipts) await receipt.release();
}

function takeGroup(waiting: Delivery[], groupBytes: number): Delivery[] {
  let bytes = 0;
  const end = waiting.findIndex(({ receipts }, index) => {
    for (const receipt of receipts) bytes += receipt.bytes;
    return index > 0 && bytes > groupBytes;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
