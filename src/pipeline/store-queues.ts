/** Stores days beside the reading: what comes while others are being stored waits, and is stored together. */
import PQueue from 'p-queue';
import type { DailySource } from '../model/source.ts';
import type { GatheredSlice } from './gathered-slice.ts';

/** Days that are complete, on their way into the warehouse. */
export interface StoreQueues {
  /** Hands days of one source over; resolves when they are being stored, so that few wait. */
  add(source: DailySource, days: readonly GatheredSlice[]): Promise<void>;
  /** Resolves when all are stored; rejects with what a store threw. */
  finish(): Promise<void>;
}

/** Groups of a source under way to the database at once: one alone would mostly wait for its answers. */
export const mostStoresOfSource = 2;
/**
 * Payload rows of a group, unless a single delivery has more: what waits to be stored is held in memory. With the
 * deliveries that wait, a source that comes in pages holds so many for each lane and for each group being stored.
 */
const rowsPerGroup = 10_000;

/** Days that were handed over together. */
interface Delivery {
  readonly days: readonly GatheredSlice[];
  /** Tells whoever brought them that they are being stored. */
  readonly onTaken: () => void;
}

/** Queues that `store` the days of a source group by group. `onFailed` hears at once of a group that throws. */
export function createStoreQueues(
  store: (days: readonly GatheredSlice[]) => Promise<void>,
  onFailed: (error: unknown) => void,
): StoreQueues {
  const queues = new Map<DailySource, { readonly queue: PQueue; readonly waiting: Delivery[] }>();
  const failures: unknown[] = [];

  function queueOf(source: DailySource) {
    const known = queues.get(source) ?? {
      queue: new PQueue({ concurrency: mostStoresOfSource }),
      waiting: [],
    };
    queues.set(source, known);
    return known;
  }

  async function storeNext(waiting: Delivery[]): Promise<void> {
    const group = takeGroup(waiting);
    for (const { onTaken } of group) onTaken();
    try {
      // Nothing is left where an earlier group took these days along.
      if (group.length > 0) await store(group.flatMap(({ days }) => days));
    } catch (error) {
      failures.push(error);
      onFailed(error);
    }
  }

  return {
    add(source, days) {
      const { queue, waiting } = queueOf(source);
      return new Promise((onTaken) => {
        waiting.push({ days, onTaken });
        queue.add(() => storeNext(waiting));
      });
    },
    async finish() {
      for (const { queue } of queues.values()) await queue.onIdle();
      if (failures.length > 0) throw failures[0];
    },
  };
}

function takeGroup(waiting: Delivery[]): Delivery[] {
  let rows = 0;
  const end = waiting.findIndex(({ days }, index) => {
    for (const { held } of days) rows += held;
    return index > 0 && rows > rowsPerGroup;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
