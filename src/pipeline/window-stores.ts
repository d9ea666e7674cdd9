/** Stores windows beside the reading: while one is stored, the next of the same source may be asked for and parsed. */
import type { DailySource } from '../model/source.ts';

/** What is being stored: at most one window of each source. */
export interface WindowStores {
  /** Begins to store a window when the one before it of the same source is stored; throws what that one threw. */
  begin(source: DailySource, store: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is being stored any more; rejects with what a store threw. */
  finish(): Promise<void>;
}

/** Nothing is being stored yet. `onFailed` hears at once of a store that throws. */
export function createWindowStores(onFailed: (error: unknown) => void): WindowStores {
  const underWay = new Map<DailySource, Promise<void>>();
  return {
    async begin(source, store) {
      await underWay.get(source);
      const storing = store();
      // Whoever waits for it next gets the error as well.
      storing.catch(onFailed);
      underWay.set(source, storing);
    },
    async finish() {
      const results = await Promise.allSettled(underWay.values());
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  };
}
