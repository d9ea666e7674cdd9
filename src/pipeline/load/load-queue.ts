/** Loads while more is received. What comes while others are being loaded waits, and is loaded together. */
import PQueue from 'p-queue';
import type { Source } from '../../model/source.ts';
import type { Receipt } from '../receive/receipt.ts';

/** Receipts on their way into the warehouse. */
export interface LoadQueue {
  /** Takes receipts of one source. Resolves when there is room for more of it: until then the caller receives nothing. */
  add(source: Source, receipts: readonly Receipt[]): Promise<void>;
  /** Resolves when all are loaded; rejects with what a load threw. */
  finish(): Promise<void>;
}

/** Loads at once: one alone would mostly wait for the database. */
export const mostLoads = 4;

/** Receipts that were handed over together. */
interface Delivery {
  readonly receipts: readonly Receipt[];
  readonly bytes: number;
  /** Tells the caller of `add` that they are being loaded. */
  readonly onTaken: () => void;
}

/** What there is of one source. */
interface Line {
  readonly waiting: Delivery[];
  loading: number;
}

/**
 * Opens a queue that loads the receipts of a source in groups of `groupBytes`. A group is larger only where a single
 * delivery is, and smaller only where nothing else of its source is being loaded: so few transactions are needed, and
 * nothing waits without a reason. `onFailed` hears at once of a group that throws.
 */
export function openLoadQueue(
  load: (source: Source, receipts: readonly Receipt[]) => Promise<void>,
  groupBytes: number,
  onFailed: (error: unknown) => void,
): LoadQueue {
  const queue = new PQueue({ concurrency: mostLoads });
  const lines = new Map<Source, Line>();
  const failures: unknown[] = [];

  async function loadNext(source: Source, line: Line): Promise<void> {
    const group = takeGroup(line.waiting, groupBytes);
    for (const { onTaken } of group) onTaken();
    const receipts = group.flatMap((delivery) => delivery.receipts);
    try {
      // None, when an earlier group has taken them.
      if (receipts.length > 0) await load(source, receipts).finally(() => releaseAll(receipts));
    } catch (error) {
      failures.push(error);
      onFailed(error);
    }
    line.loading -= 1;
    begin(source, line);
  }

  /** Begins a load of what waits, if there is reason to. */
  function begin(source: Source, line: Line): void {
    if (line.waiting.length === 0 || (line.loading > 0 && bytesOf(line) < groupBytes)) return;
    line.loading += 1;
    queue.add(() => loadNext(source, line));
  }

  return {
    add(source, receipts) {
      const line = lines.get(source) ?? { waiting: [], loading: 0 };
      lines.set(source, line);
      const bytes = receipts.reduce((sum, receipt) => sum + receipt.bytes, 0);
      return new Promise((onTaken) => {
        line.waiting.push({ receipts, bytes, onTaken });
        if (bytesOf(line) < groupBytes) onTaken();
        begin(source, line);
      });
    },
    async finish() {
      await queue.onIdle();
      if (failures.length > 0) throw failures[0];
    },
  };
}

function bytesOf({ waiting }: Line): number {
  return waiting.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function releaseAll(receipts: readonly Receipt[]): Promise<void> {
  for (const receipt of receipts) await receipt.release();
}

function takeGroup(waiting: Delivery[], groupBytes: number): Delivery[] {
  let sum = 0;
  const end = waiting.findIndex(({ bytes }, index) => {
    sum += bytes;
    return index > 0 && sum > groupBytes;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
