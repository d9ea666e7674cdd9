/** What all parts of the benchmark share: their context, and functions for time and days. */
import { systemClock } from '../src/model/clock.ts';
import { addDays, type Day, type DayRange, earliestDay, yesterday } from '../src/model/day.ts';
import type { Figure } from './figures.ts';
import type { BenchServer } from './server.ts';

/** The context of a part. */
export interface BenchContext {
  readonly server: BenchServer;
  /** Small sizes, to test that everything works; the figures mean nothing. */
  readonly quick: boolean;
  /** `--size small`: less data, where a part has a choice. */
  readonly isSmall: boolean;
  /** A directory for files that the measurements of floors need; removed at the end. */
  readonly directory: string;
  /** Logs progress on standard error. */
  readonly say: (text: string) => void;
}

/** Measures one subject and returns its rows of the table. */
export type Part = (context: BenchContext) => Promise<Figure[]>;

/** The duration of `work` in milliseconds, and its result. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}

/** `count` days from `from` on, or fewer if they would go beyond yesterday. */
export function daysFrom(from: Day, count: number): DayRange {
  const [wanted, last] = [addDays(from, count - 1), yesterday(systemClock)];
  return { from, to: wanted < last ? wanted : last };
}

/** The first `count` days that the platform serves, or fewer if they would go beyond yesterday. */
export function firstDays(count: number): DayRange {
  return daysFrom(earliestDay, count);
}
