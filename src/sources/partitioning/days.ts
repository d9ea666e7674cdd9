/** Common parts of slices that are UTC days (platform-api.md §4.2). */
import { type DayRange, day, isDay } from '../../model/day.ts';
import type { Partitioning, Request } from '../../model/partitioning.ts';

/** Slices are days; records name their day in `date`. A day without records may get some later (platform-api.md §8). */
export const days = {
  kind: 'day',
  scope: { usage_date: 'usage_date' },
  dayOf: day,
  isKey: isDay,
  keyField: 'date',
  withoutRecords: 'doubted',
} as const satisfies Partial<Partitioning>;

/** A request for consecutive days. */
export function requestForDays(path: string, keys: readonly string[]): Request & { days: DayRange } {
  const range = { from: day(keys[0] ?? ''), to: day(keys.at(-1) ?? '') };
  return { path, query: { startDate: range.from, endDate: range.to }, days: range };
}
