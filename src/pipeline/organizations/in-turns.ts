/** Does work for many organizations: only some of them work at a time, those that wait for the platform aside. */
import type { OnRunEvent, RunEvent } from '../../model/run.ts';

/** How many may be under way, and how long an answer may take. */
export interface TurnOptions {
  /** Organizations that work. One that waits for the platform does not count. */
  readonly atOnce: number;
  /** After so many ms without an answer, an organization waits for the platform. */
  readonly unansweredMs: number;
}

/** Most organizations that have begun and have not ended. */
const mostUnderWay = 64;
/** Looks at those that wait, for each time that an answer may take. */
const looksPerWait = 8;

/** Whether an organization works, from the events of its run. */
class Activity {
  #asking = 0;
  #isRetrying = false;
  #since = performance.now();

  readonly onEvent: OnRunEvent = (event: RunEvent) => {
    this.#since = performance.now();
    if (event.type === 'budget-waited') this.#asking += 1;
    if (event.type === 'attempt-ended') this.#asking -= 1;
    if (event.type === 'budget-waited' || event.type === 'retry') this.#isRetrying = event.type === 'retry';
  };

  /** Whether it has asked the platform, and nothing has happened since then. */
  isWaiting(unansweredMs: number): boolean {
    return (this.#asking > 0 || this.#isRetrying) && performance.now() - this.#since >= unansweredMs;
  }
}

/**
 * Does `work` for all items, in their order, and returns the results in the same order. `work` must not throw; it hands the
 * events of its run to `onEvent`.
 */
export function inTurns<Item, Result>(
  items: readonly Item[],
  { atOnce, unansweredMs }: TurnOptions,
  work: (item: Item, onEvent: OnRunEvent) => Promise<Result>,
): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    const results: Result[] = [];
    const underWay = new Set<Activity>();
    let [begun, ended] = [0, 0];
    const looking = setInterval(beginMore, unansweredMs / looksPerWait).unref();

    function beginMore(): void {
      while (begun < items.length && mayBegin()) begin(begun++).catch(reject);
    }

    function mayBegin(): boolean {
      if (underWay.size >= mostUnderWay) return false;
      let working = 0;
      for (const activity of underWay) if (!activity.isWaiting(unansweredMs)) working += 1;
      return working < atOnce;
    }

    async function begin(index: number): Promise<void> {
      const item = items[index];
      if (item === undefined) return;
      const activity = new Activity();
      underWay.add(activity);
      results[index] = await work(item, activity.onEvent);
      underWay.delete(activity);
      ended += 1;
      if (ended < items.length) beginMore();
      else finish();
    }

    function finish(): void {
      clearInterval(looking);
      resolve(results);
    }

    if (items.length === 0) finish();
    else beginMore();
  });
}
