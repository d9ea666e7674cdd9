/**
 * The rate budget for requests to the platform, shared by the whole process (platform-api.md §8: limits vary by plan).
 */
import PQueue from 'p-queue';

/** Limits of rate and concurrency. */
export interface RateLimits {
  readonly requestsPerSecond: number;
  readonly maxConcurrency: number;
}

/** A queue for all requests; it pauses when the platform asks for it. */
export interface RateBudget {
  /**
   * Runs `task` when the budget allows it. Rejects with the reason of `signal` if the signal aborts before `task` has
   * ended; a task that has begun goes on.
   */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Starts no request for `waitMs`. After that one request runs at a time; every success doubles this number. */
  pauseFor(waitMs: number): void;
  /** Reports a success, so that concurrency may grow again after a pause. */
  succeeded(): void;
  /** Drops the pause timer, so that it does not keep the process alive. */
  close(): void;
}

/**
 * The platform counts requests as they arrive, we count them as they start. The first requests arrive late, because
 * they open connections, and could arrive together with later ones. To prevent this, a second of the budget is longer
 * by so much; this costs 3 % of the budget.
 */
const arrivalJitterMs = 30;

/**
 * The requests of a second start in so many groups, spread over the second. If all of them started at once, late ones
 * and those of the next second could arrive within one second: twice as many as allowed.
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
      // A request from before the pause says nothing about the load that the platform accepts after it.
      if (!queue.isPaused && queue.concurrency < maxConcurrency)
        queue.concurrency = Math.min(maxConcurrency, queue.concurrency * 2);
    },
    close: () => clearTimeout(resume),
  };
}
