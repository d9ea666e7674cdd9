/** What slices that are UTC days have in common (platform-api.md §4.2). */
import { type DayRange, day, isDay } from '../../model/day.ts';
import type { Partitioning, Request } from '../../model/partitioning.ts';

/** Days whose records name them by `date`. A day without records may come later (platform-api.md §8). */
export const days = {
  kind: 'day',
  scope: { usage_date: 'usage_date' },
  dayOf: day,
  isKey: isDay,
  keyField: 'date',
  withoutRecords: 'doubted',
} as const satisfies Partial<Partitioning>;

/** A request for neighbouring days. */
export function requestForDays(path: string, keys: readonly string[]): Request & { days: DayRange } {
  const range = { from: day(keys[0] ?? ''), to: day(keys.at(-1) ?? '') };
  return { path, query: { startDate: range.from, endDate: range.to }, days: range };
}
