/** What every part of the benchmark gets, and how it measures time and counts days. */
import { systemClock } from '../src/model/clock.ts';
import { addDays, type Day, type DayRange, earliestDay, yesterday } from '../src/model/day.ts';
import type { Figure } from './figures.ts';
import type { BenchServer } from './server.ts';

/** Surroundings of a part. */
export interface BenchContext {
  readonly server: BenchServer;
  /** Small sizes: to see that everything works, not for figures to be believed. */
  readonly quick: boolean;
  /** A directory for files of the floors; removed in the end. */
  readonly directory: string;
  /** Tells what is being done, on standard error. */
  readonly say: (text: string) => void;
}

/** Measures one subject and returns its lines of the table. */
export type Part = (context: BenchContext) => Promise<Figure[]>;

/** Milliseconds that `work` takes, and what it returns. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}

/** `count` days from `from` on; fewer when there have not been as many yet. */
export function daysFrom(from: Day, count: number): DayRange {
  const [wanted, last] = [addDays(from, count - 1), yesterday(systemClock)];
  return { from, to: wanted < last ? wanted : last };
}

/** The first `count` days that the platform serves; fewer when there have not been as many yet. */
export function firstDays(count: number): DayRange {
  return daysFrom(earliestDay, count);
}
