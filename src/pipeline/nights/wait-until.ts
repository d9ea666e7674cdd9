/** Waits until a clock shows a certain time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../model/clock.ts';

/**
 * Resolves at a time, in ms since 1970, or when the signal aborts. It resolves sooner if the clock was set back, so that
 * the caller can compute the time again. It keeps the process alive.
 */
export type WaitUntil = (timeMs: number, signal: AbortSignal) => Promise<void>;

/** The wait reads the clock this often, because the machine may sleep, or its clock may be set. */
const betweenLooksMs = 30_000;

/** A clock that goes back by more than this was set back. Smaller steps are ordinary corrections. */
export const putBackMs = 3_600_000;

/** Waits with timers, and compares the time with `clock`. */
export function waitOn(clock: Clock): WaitUntil {
  return async (timeMs, signal) => {
    const beganMs = clock();
    for (;;) {
      const nowMs = clock();
      const leftMs = timeMs - nowMs;
      if (leftMs <= 0 || signal.aborted || nowMs < beganMs - putBackMs) return;
      await delay(Math.min(leftMs, betweenLooksMs), undefined, { signal }).catch(() => undefined);
    }
  };
}
