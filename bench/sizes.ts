/** The sizes of data for the first load and the unchanged re-read. */
import { type Day, day, earliestDay } from '../src/model/day.ts';

/** How much data the platform has, and which part of it is read. */
export interface Size {
  /** Users of the organization. In its first month about 29 % are active on a weekday, 6 % on other days. */
  readonly users: number;
  readonly from: Day;
  readonly days: number;
  /** Names of the endpoints that are read; default: the five daily ones. */
  readonly endpoints?: readonly string[];
  /** Least number of models per user of `/tokens`. */
  readonly modelsPerUser?: number;
  /** Whether to measure plain inserts of the same rows, too. */
  readonly inserts?: boolean;
}

/** A size to measure, and a small one to test that the measuring works. */
export interface NamedSize {
  readonly full: Size;
  readonly quick: Size;
}

/** A Monday, from which five weekdays are read. */
const someMonday = day('2026-01-19');

/** The sizes by the name of their part. */
export const sizes: Readonly<Record<string, NamedSize>> = {
  'days-of-2000': ofEndpoints(['users'], { users: 8_900, from: earliestDay, days: 50, inserts: true }, 300),
  'days-of-20000': ofEndpoints(['users'], { users: 71_000, from: someMonday, days: 5 }, 1_000),
  'day-of-200000': ofEndpoints(['users'], { users: 693_000, from: earliestDay, days: 1 }, 50_000),
  'tokens-of-80000': ofEndpoints(
    ['tokens'],
    { users: 277_500, from: earliestDay, days: 1, modelsPerUser: 5 },
    5_000,
  ),
  'all-of-13800': withQuick({ users: 49_100, from: someMonday, days: 5 }, { users: 1_000 }),
  'many-days': withQuick({ users: 6_000, from: earliestDay, days: 150 }, { users: 300, days: 20 }),
};

function ofEndpoints(endpoints: readonly string[], size: Size, quickUsers: number): NamedSize {
  return withQuick({ ...size, endpoints }, { users: quickUsers, days: Math.min(size.days, 5) });
}

function withQuick(full: Size, quick: Partial<Size>): NamedSize {
  return { full, quick: { ...full, ...quick } };
}
