/** What a pool waits for how long: whoever repeats work on it, or makes its connections again, asks here. */
import type pg from 'pg';
import { defaultTiming, type Timing } from '../../model/timing.ts';

const timings = new WeakMap<pg.Pool, Timing>();

/** Says how long waits on a pool last. */
export function setTiming(pool: pg.Pool, timing: Timing): void {
  timings.set(pool, timing);
}

/** How long waits on a pool last. */
export function timingOf(pool: pg.Pool): Timing {
  return timings.get(pool) ?? defaultTiming;
}
