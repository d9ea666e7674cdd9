/** How long waits and retries on a pool last. */
import type pg from 'pg';
import { defaultTiming, type Timing } from '../../model/timing.ts';

const timings = new WeakMap<pg.Pool, Timing>();

/** Sets the waits of a pool. */
export function setTiming(pool: pg.Pool, timing: Timing): void {
  timings.set(pool, timing);
}

/** The waits of a pool. */
export function timingOf(pool: pg.Pool): Timing {
  return timings.get(pool) ?? defaultTiming;
}
