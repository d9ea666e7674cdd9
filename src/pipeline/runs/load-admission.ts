/** Which loads may begin: all runs of a process share the connections and the memory for loads. */
import PQueue from 'p-queue';

/** Admits loads. */
export interface LoadAdmission {
  /** Does `work` as soon as fewer loads run than may. */
  run(work: () => Promise<void>): Promise<void>;
  /**
   * Calls `take` until it returns something, whenever there may be memory; one waits behind the other, so that small loads do not
   * overtake a large one for ever. `reserve` tells `take` whether there is memory for so many bytes, and reserves it.
   */
  takeMemory<Batch>(take: (reserve: (bytes: number) => boolean) => Batch | undefined): Promise<Batch>;
  giveMemory(bytes: number): void;
}

/** At most `mostLoads` loads at a time, with `mostBytes` in memory together, unless one alone has more. */
export function createLoadAdmission(mostLoads: number, mostBytes: number): LoadAdmission {
  const queue = new PQueue({ concurrency: mostLoads });
  /** Each function returns whether its load got memory. */
  const inTurn: (() => boolean)[] = [];
  let bytesLoading = 0;

  function reserve(bytes: number): boolean {
    if (bytesLoading > 0 && bytesLoading + bytes > mostBytes) return false;
    bytesLoading += bytes;
    return true;
  }

  return {
    run: (work) => queue.add(work),
    takeMemory(take) {
      const taken = inTurn.length === 0 ? take(reserve) : undefined;
      if (taken !== undefined) return Promise.resolve(taken);
      return new Promise((resolve) => {
        inTurn.push(() => {
          const later = take(reserve);
          if (later !== undefined) resolve(later);
          return later !== undefined;
        });
      });
    },
    giveMemory(bytes) {
      bytesLoading -= bytes;
      while (inTurn[0]?.() === true) inTurn.shift();
    },
  };
}
