/** Waits until a clock shows a certain time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../model/clock.ts';

/**
 * Resolves when it is that time, in ms since 1970, or when the signal aborts; sooner where the clock was put back, so that
 * whoever waits can look again at what to wait for. Keeps the process alive meanwhile.
 */
export type WaitUntil = (timeMs: number, signal: AbortSignal) => Promise<void>;

/** A machine that slept, or whose clock was set, notices within so long. */
const betweenLooksMs = 30_000;

/** A clock that shows so much less than before was wrong; by less, it is only being set right. */
export const putBackMs = 3_600_000;

/** Waits by the machine's timers, and asks `clock` whether it is time. */
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
