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
}

/**
 * The platform counts when requests arrive, we count when they leave. This much longer than a second, the
 * interval absorbs the jitter in between, at the price of 1 % of the budget.
 */
const arrivalJitterMs = 10;

/** A budget of at most `requestsPerSecond` starts in any second and `maxConcurrency` requests under way. */
export function createRateBudget({ requestsPerSecond, maxConcurrency }: RateLimits): RateBudget {
  const intervalCap = Math.max(1, Math.floor(requestsPerSecond));
  const interval = Math.ceil((intervalCap / requestsPerSecond) * 1000) + arrivalJitterMs;
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
      if (queue.concurrency < maxConcurrency)
        queue.concurrency = Math.min(maxConcurrency, queue.concurrency * 2);
    },
  };
}
