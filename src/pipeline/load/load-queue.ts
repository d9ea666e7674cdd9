/** Loads receipts while more are received. Receipts that come during a load wait, and are loaded together. */
import PQueue from 'p-queue';
import type { Source } from '../../model/source.ts';
import type { Receipt } from '../receive/receipt.ts';

/** Receipts on their way into the warehouse. */
export interface LoadQueue {
  /** Takes receipts of one source. Resolves when there is room for more: the caller receives nothing until then. */
  add(source: Source, receipts: readonly Receipt[]): Promise<void>;
  /** Resolves when all are loaded; rejects with what a load threw. */
  finish(): Promise<void>;
}

/** Loads at the same time: one alone would mostly wait for the database. */
export const mostLoads = 4;
/** Most slices of a batch, unless one entry has more: their ledger rows must fit into one statement. */
const mostSlices = 100;

/** Receipts that one call of `add` brought. */
interface Delivery {
  readonly receipts: readonly Receipt[];
  readonly bytes: number;
  /** Resolves the promise of `add`. */
  readonly onRoom: () => void;
}

/** The queue of one source. */
interface Line {
  readonly waiting: Delivery[];
  loading: number;
}

/**
 * Opens a queue that loads the receipts of a source in batches of `groupBytes`. A batch is larger only if a single
 * entry is. The first receipts of a source are loaded at once; later ones wait until that load ends, or until they
 * fill a batch. All loads together hold at most eight times `groupBytes` in memory, unless one alone has more.
 * `onFailed` is called at once if a load throws.
 */
export function openLoadQueue(
  load: (source: Source, receipts: readonly Receipt[]) => Promise<void>,
  groupBytes: number,
  onFailed: (error: unknown) => void,
): LoadQueue {
  const queue = new PQueue({ concurrency: mostLoads });
  /** Loads that wait for memory, in order, so that small slices do not overtake a large one for ever. */
  const inTurn: { readonly waiting: Delivery[]; readonly onTaken: (group: Delivery[]) => void }[] = [];
  const mostBytes = 2 * mostLoads * groupBytes;
  let bytesLoading = 0;
  const lines = new Map<Source, Line>();
  const failures: unknown[] = [];

  async function loadNext(source: Source, line: Line): Promise<void> {
    const group =
      (inTurn.length === 0 ? takeIfRoom(line.waiting) : undefined) ?? (await inItsTurn(line.waiting));
    tellRoom(line);
    for (const { onRoom } of group) onRoom();
    const receipts = group.flatMap((delivery) => delivery.receipts);
    try {
      // None, if an earlier load has taken them.
      if (receipts.length > 0) await load(source, receipts).finally(() => releaseAll(receipts));
    } catch (error) {
      failures.push(error);
      onFailed(error);
    }
    line.loading -= 1;
    giveBack(bytesInMemory(group));
    begin(source, line);
  }

  /** Begins a load if receipts wait, and either none is loading or they fill a batch. */
  function begin(source: Source, line: Line): void {
    if (line.waiting.length === 0 || (line.loading > 0 && !isFull(line))) return;
    line.loading += 1;
    queue.add(() => loadNext(source, line));
  }

  function tellRoom(line: Line): void {
    if (!isFull(line)) for (const { onRoom } of line.waiting) onRoom();
  }

  /** Whether the waiting receipts fill a batch. */
  function isFull({ waiting }: Line): boolean {
    const slices = waiting.reduce((sum, { receipts }) => sum + receipts.length, 0);
    return slices >= mostSlices || waiting.reduce((sum, { bytes }) => sum + bytes, 0) >= groupBytes;
  }

  /** Takes a batch if there is memory for it, or if no other load is running. */
  function takeIfRoom(waiting: Delivery[]): Delivery[] | undefined {
    const group = nextGroup(waiting);
    const bytes = bytesInMemory(group);
    if (bytesLoading > 0 && bytesLoading + bytes > mostBytes) return undefined;
    bytesLoading += bytes;
    return waiting.splice(0, group.length);
  }

  function inItsTurn(waiting: Delivery[]): Promise<Delivery[]> {
    return new Promise((onTaken) => {
      inTurn.push({ waiting, onTaken });
    });
  }

  function giveBack(bytes: number): void {
    bytesLoading -= bytes;
    for (let next = inTurn[0]; next !== undefined; next = inTurn[0]) {
      const group = takeIfRoom(next.waiting);
      if (group === undefined) return;
      inTurn.shift();
      next.onTaken(group);
    }
  }

  function nextGroup(waiting: readonly Delivery[]): readonly Delivery[] {
    let [sum, slices] = [0, 0];
    const end = waiting.findIndex(({ bytes, receipts }, index) => {
      sum += bytes;
      slices += receipts.length;
      return index > 0 && (sum > groupBytes || slices > mostSlices);
    });
    return waiting.slice(0, end === -1 ? waiting.length : end);
  }

  return {
    add(source, receipts) {
      const line = lines.get(source) ?? { waiting: [], loading: 0 };
      lines.set(source, line);
      const bytes = receipts.reduce((sum, receipt) => sum + receipt.bytes, 0);
      return new Promise((onRoom) => {
        line.waiting.push({ receipts, bytes, onRoom });
        tellRoom(line);
        begin(source, line);
      });
    },
    async finish() {
      await queue.onIdle();
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The memory that a load needs: of a large slice only the largest chunk is in memory. */
function bytesInMemory(group: readonly Delivery[]): number {
  return group.reduce(
    (sum, { receipts }) => receipts.reduce((bytes, { largestChunkBytes }) => bytes + largestChunkBytes, sum),
    0,
  );
}

async function releaseAll(receipts: readonly Receipt[]): Promise<void> {
  for (const receipt of receipts) await receipt.release();
}
