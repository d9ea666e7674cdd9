/** The one budget for requests to the platform, shared by the whole process (platform-api.md §8: limits vary by plan). */
import PQueue from 'p-queue';

/** How fast and how parallel the program may ask. */
export interface RateLimits {
  readonly requestsPerSecond: number;
  readonly maxConcurrency: number;
}

/** A queue that every request passes, and that stands still while the platform asks for it. */
export interface RateBudget {
  /** Runs `task` when the budget allows it; rejects with the reason of `signal` when that aborts first. */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Starts no request for `waitMs`, then begins with one at a time and doubles with every success. */
  pauseFor(waitMs: number): void;
  /** Tells that a request succeeded, so that the budget may open up again after a pause. */
  succeeded(): void;
  /** Forgets the pause: nothing more will be run, and nothing must keep the process waiting. */
  close(): void;
}

/**
 * The platform counts when requests arrive, we count when they leave. The first ones arrive late, because they wait
 * for their connections: seconds longer by this much absorb that, at the price of 3 % of the budget.
 */
const arrivalJitterMs = 30;

/**
 * Requests leave spread over the second, not all at its start: else a burst that is late and the next one that is
 * not arrive within one second, twice as many as allowed.
 */
const groupsPerSecond = 20;

/** A budget of at most `requestsPerSecond` starts in any second and `maxConcurrency` requests under way. */
export function createRateBudget({ requestsPerSecond, maxConcurrency }: RateLimits): RateBudget {
  const intervalCap = Math.max(1, Math.floor(requestsPerSecond / groupsPerSecond));
  const groups = intervalCap === 1 ? requestsPerSecond : Math.floor(requestsPerSecond / intervalCap);
  const interval = Math.ceil((1000 + arrivalJitterMs) / groups);
  const queue = new PQueue({ concurrency: maxConcurrency, intervalCap, interval, strict: true });
  let resumeAt = 0;
  let resume: NodeJS.Timeout | undefined;

  return {
    run: (task, signal) => queue.add(task, { signal }),
    pauseFor(waitMs) {
      const until = performance.now() + waitMs;
      if (until <= resumeAt) return;
      resumeAt = until;
      queue.pause();
      queue.concurrency = 1;
      clearTimeout(resume);
      resume = setTimeout(() => queue.start(), waitMs);
    },
    succeeded() {
      // One that had left before the pause says nothing about what the platform bears after it.
      if (!queue.isPaused && queue.concurrency < maxConcurrency)
        queue.concurrency = Math.min(maxConcurrency, queue.concurrency * 2);
    },
    close: () => clearTimeout(resume),
  };
}
