/** Loads while more is received. What comes while others are being loaded waits, and is loaded together. */
import PQueue from 'p-queue';
import type { Source } from '../../model/source.ts';
import type { Receipt } from '../receive/receipt.ts';
import { mostLoads } from '../runs/connections-of-run.ts';

/** Receipts on their way into the warehouse. */
export interface LoadQueue {
  /** Takes receipts of one source. Resolves when there is room for more of it: until then the caller receives nothing. */
  add(source: Source, receipts: readonly Receipt[]): Promise<void>;
  /** Resolves when all are loaded; rejects with what a load threw. */
  finish(): Promise<void>;
}

/** Slices of a group, unless a single delivery has more: what is said of each must fit into one statement. */
const mostSlices = 100;

/** Receipts that were handed over together. */
interface Delivery {
  readonly receipts: readonly Receipt[];
  readonly bytes: number;
  /** Tells the caller of `add` that there is room for more. */
  readonly onRoom: () => void;
}

/** What there is of one source. */
interface Line {
  readonly waiting: Delivery[];
  loading: number;
}

/**
 * Opens a queue that loads the receipts of a source in groups of `groupBytes`. A group is larger only where a single
 * delivery is. The first receipts of a source are loaded at once; what comes meanwhile waits until they are loaded, or
 * until it fills a group. All loads together hold at most eight times `groupBytes` in memory, unless one alone has more.
 * `onFailed` hears at once of a group that throws.
 */
export function openLoadQueue(
  load: (source: Source, receipts: readonly Receipt[]) => Promise<void>,
  groupBytes: number,
  onFailed: (error: unknown) => void,
): LoadQueue {
  const queue = new PQueue({ concurrency: mostLoads });
  /** Who waits for memory, in turn: a large slice is not passed by small ones for ever. */
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
      // None, when an earlier group has taken them.
      if (receipts.length > 0) await load(source, receipts).finally(() => releaseAll(receipts));
    } catch (error) {
      failures.push(error);
      onFailed(error);
    }
    line.loading -= 1;
    giveBack(bytesInMemory(group));
    begin(source, line);
  }

  /** Begins a load of what waits, if there is reason to. */
  function begin(source: Source, line: Line): void {
    if (line.waiting.length === 0 || (line.loading > 0 && !isFull(line))) return;
    line.loading += 1;
    queue.add(() => loadNext(source, line));
  }

  function tellRoom(line: Line): void {
    if (!isFull(line)) for (const { onRoom } of line.waiting) onRoom();
  }

  /** Whether a whole group waits. */
  function isFull({ waiting }: Line): boolean {
    const slices = waiting.reduce((sum, { receipts }) => sum + receipts.length, 0);
    return slices >= mostSlices || waiting.reduce((sum, { bytes }) => sum + bytes, 0) >= groupBytes;
  }

  /** Takes a group where there is memory for it beside the others, or there are none. */
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

/** What is held of it while it is loaded: a large slice comes portion by portion. */
function bytesInMemory(group: readonly Delivery[]): number {
  return group.reduce(
    (sum, { receipts }) => receipts.reduce((bytes, { portionBytes }) => bytes + portionBytes, sum),
    0,
  );
}

async function releaseAll(receipts: readonly Receipt[]): Promise<void> {
  for (const receipt of receipts) await receipt.release();
}
