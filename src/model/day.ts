/**
 * Calendar days of the platform: UTC days as `YYYY-MM-DD` text. A `Date` never leaves this file, so no
 * local time zone can shift a day (platform-api.md §8: analytics dates are UTC only).
 */
import { UTCDateMini } from '@date-fns/utc/date/mini';
// One import per function: loading the whole package takes longer than running the command `status`.
import { addDays as addDaysTo } from 'date-fns/addDays';
import { addMonths as addMonthsTo } from 'date-fns/addMonths';
import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import { formatISO } from 'date-fns/formatISO';
import type { Clock } from './clock.ts';

declare const dayBrand: unique symbol;

/** A UTC calendar day as `YYYY-MM-DD`. Days compare correctly with `<` and `>`. */
export type Day = string & { readonly [dayBrand]: true };

/** A closed range of days: both ends belong to it. */
export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

const dateOnly = { representation: 'date' } as const;
const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether `text` is an existing calendar day written as `YYYY-MM-DD` (2026-02-30 is not). */
export function isDay(text: string): text is Day {
  const parts = dayPattern.exec(text);
  if (parts === null) return false;
  const [year, month, dayOfMonth] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const date = new Date(Date.UTC(year, month - 1, dayOfMonth));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth;
}

/** Reads a day; throws `RangeError` when `text` is not one. For text from outside, test with `isDay` first. */
export function day(text: string): Day {
  if (!isDay(text))
    throw new RangeError(`expected a calendar day as YYYY-MM-DD, got ${JSON.stringify(text)}`);
  return text;
}

/** The first day that the platform serves (platform-api.md §8). */
export const earliestDay: Day = day('2026-01-14');

/** The last day that the platform serves at this moment: yesterday in UTC (platform-api.md §8). */
export function yesterday(clock: Clock): Day {
  return addDays(today(clock), -1);
}

/** The UTC day of this moment. */
export function today(clock: Clock): Day {
  return day(formatISO(new UTCDateMini(clock()), dateOnly));
}

/** The day `count` days after `from`; before `from` when `count` is negative. */
export function addDays(from: Day, count: number): Day {
  return day(formatISO(addDaysTo(new UTCDateMini(`${from}T00:00:00Z`), count), dateOnly));
}

/** The day `count` months after `from` (before it when negative): in a month without this day, its last day. */
export function addMonths(from: Day, count: number): Day {
  return day(formatISO(addMonthsTo(new UTCDateMini(`${from}T00:00:00Z`), count), dateOnly));
}

/** Number of days from `from` to `to`: 0 for the same day, negative when `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return differenceInCalendarDays(new UTCDateMini(`${to}T00:00:00Z`), new UTCDateMini(`${from}T00:00:00Z`));
}

/** All days of a range in order; empty when it ends before it begins. */
export function daysOf({ from, to }: DayRange): Day[] {
  const count = daysBetween(from, to) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => addDays(from, index));
}

/** When a day ends, in ms since 1970. */
export function endMs(of: Day): number {
  return Date.parse(`${addDays(of, 1)}T00:00:00Z`);
}

/** The later of two days. */
export function laterOf(a: Day, b: Day): Day {
  return a > b ? a : b;
}
