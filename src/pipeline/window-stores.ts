/** Stores windows beside the reading: while some are stored, the next of the same source may be asked for and parsed. */
import type { DailySource } from '../model/source.ts';

/** What is being stored. */
export interface WindowStores {
  /** Begins to store a window, when few enough others of its source are being stored; throws what one of them threw. */
  begin(source: DailySource, store: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is being stored any more; rejects with what a store threw. */
  finish(): Promise<void>;
}

/** Windows of a source under way to the database at once: one alone would mostly wait for its answers. */
export const mostStoresOfSource = 2;

/** Nothing is being stored yet. `onFailed` hears at once of a store that throws. */
export function createWindowStores(onFailed: (error: unknown) => void): WindowStores {
  const lastStores = new Map<DailySource, readonly Promise<void>[]>();
  return {
    async begin(source, store) {
      const last = lastStores.get(source) ?? [];
      if (last.length === mostStoresOfSource) await last[0];
      const storing = store();
      // Whoever waits for it next gets the error as well.
      storing.catch(onFailed);
      lastStores.set(source, [...last, storing].slice(-mostStoresOfSource));
    },
    async finish() {
      const results = await Promise.allSettled([...lastStores.values()].flat());
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  };
}
