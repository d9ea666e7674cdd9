/** Writes days and periods for people. */
import { addDays, type Day, type DayRange, day as dayOf } from '../../model/day.ts';
import type { PeriodUnit } from '../../model/report.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A day such as `7 Sep`. */
export function shortDay(day: Day): string {
  return `${Number(day.slice(8))} ${monthName(day)}`;
}

/** A day such as `7 Sep 2026`. */
export function longDay(day: Day): string {
  return `${shortDay(day)} ${day.slice(0, 4)}`;
}

/** A month such as `Sep 2026`. */
export function monthText(day: Day): string {
  return `${monthName(day)} ${day.slice(0, 4)}`;
}

/** A range such as `7 Sep – 21 Nov 2026`; with both years if they differ. */
export function rangeText({ from, to }: DayRange): string {
  if (from === to) return longDay(from);
  return `${from.slice(0, 4) === to.slice(0, 4) ? shortDay(from) : longDay(from)} – ${longDay(to)}`;
}

/** The label of a period on an axis. */
export function periodLabel(period: Day, unit: PeriodUnit): string {
  return unit === 'month' ? `${monthName(period)} ${period.slice(2, 4)}` : shortDay(period);
}

/** The name of a period in a table. */
export function periodText(period: Day, unit: PeriodUnit): string {
  return unit === 'month'
    ? monthText(period)
    : unit === 'week'
      ? `week of ${longDay(period)}`
      : longDay(period);
}

/** The first days of all periods of the rows, in order. */
export function periodsOf(rows: readonly { readonly period: Day | null }[]): Day[] {
  return [...new Set(rows.flatMap(({ period }) => (period === null ? [] : [period])))].sort();
}

/** The periods that lie whole within the range: a part of one would look like a fall. If none does, all periods. */
export function wholePeriods(
  periods: readonly Day[],
  { from, to }: DayRange,
  unit: PeriodUnit,
): readonly Day[] {
  const whole = periods.filter((period) => period >= from && addDays(nextPeriod(period, unit), -1) <= to);
  return whole.length === 0 ? periods : whole;
}

function nextPeriod(period: Day, unit: PeriodUnit): Day {
  if (unit !== 'month') return addDays(period, unit === 'week' ? 7 : 1);
  const later = addDays(period, 31);
  return dayOf(`${later.slice(0, 7)}-01`);
}

function monthName(day: Day): string {
  return months[Number(day.slice(5, 7)) - 1] ?? '';
}
