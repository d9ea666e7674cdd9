/** What to read: which slices a job wants, and which requests bring them. Pure; the ledger decides. */
import { addDays, type Day, type DayRange, daysBetween, daysOf, earliestDay, laterOf } from '../model/day.ts';
import { type DailySlice, type DailySource, dailySlice } from '../model/source.ts';
import { type Ledger, type LedgerEntry, ledgerKey } from '../warehouse/ledger/slice-ledger.ts';

/** Days of one source that are read together: one for a source read by pages, a window otherwise. */
export interface PlannedRead {
  readonly source: DailySource;
  /** Neighbouring days in order; never empty. */
  readonly days: readonly Day[];
}

/** Whether the ledger holds a slice, so that nothing need be asked for it. */
export function isHeld(entry: LedgerEntry | undefined): boolean {
  return entry?.status === 'loaded' || entry?.status === 'empty';
}

/** Every slice of `range` that the ledger does not hold; all of them when `force`. */
export function planBackfill(
  sources: readonly DailySource[],
  range: DayRange,
  { ledger }: KnownSlices,
  { force, windowDays }: { readonly force: boolean; readonly windowDays: number },
): PlannedRead[] {
  const wanted = (source: DailySource, day: Day) => force || !isHeld(ledger.get(ledgerKey(source.name, day)));
  return planReads(sources, daysOf(range), wanted, windowDays);
}

/** What is known before a job plans. */
export interface KnownSlices {
  readonly ledger: Ledger;
  /** The earliest day that any backfill asked for, by endpoint. */
  readonly asked: ReadonlyMap<string, Day>;
}

/** The day from which on a missing day of `source` is a gap: since when it was asked for, else the earliest loaded day. */
export function wantedSince(source: DailySource, { ledger, asked }: KnownSlices): Day | undefined {
  return asked.get(source.name) ?? earliestLoadedDay(ledger);
}

/**
 * `yesterday`, the `lookbackDays` days before it, every gap since the day that was asked for (slices that failed, are
 * pending, or were never read), and every slice whose last reading failed.
 */
export function planNightly(
  sources: readonly DailySource[],
  yesterday: Day,
  known: KnownSlices,
  { lookbackDays, windowDays }: { readonly lookbackDays: number; readonly windowDays: number },
): PlannedRead[] {
  const lookbackStart = laterOf(addDays(yesterday, -lookbackDays), earliestDay);
  const wanted = (source: DailySource, day: Day) => {
    const entry = known.ledger.get(ledgerKey(source.name, day));
    const isGap = !isHeld(entry) && day >= (wantedSince(source, known) ?? lookbackStart);
    return day >= lookbackStart || isGap || entry?.lastFailed === true;
  };
  return planReads(sources, daysOf({ from: earliestDay, to: yesterday }), wanted, windowDays);
}

/** Every slice of `range` that is loaded, so that it can be compared with what the platform says now. */
export function planComparison(
  sources: readonly DailySource[],
  range: DayRange,
  ledger: Ledger,
  windowDays: number,
): PlannedRead[] {
  const isLoaded = (source: DailySource, day: Day) =>
    ledger.get(ledgerKey(source.name, day))?.status === 'loaded';
  return planReads(sources, daysOf(range), isLoaded, windowDays);
}

/** The first day that any source has loaded; undefined for an empty ledger. */
export function earliestLoadedDay(ledger: Ledger): Day | undefined {
  let earliest: Day | undefined;
  for (const { status, usageDate } of ledger.values())
    if (status === 'loaded' && usageDate !== null && (earliest === undefined || usageDate < earliest))
      earliest = usageDate;
  return earliest;
}

/**
 * Groups wanted days into reads, newest first: what people look at most is there first, and a user's e-mail, which
 * is that of the latest day, is written once instead of once a day.
 *
 * Windows lie on a fixed grid from the first day of the service, so that reading again asks the same requests, and
 * an answer can be recognized as the same.
 */
function planReads(
  sources: readonly DailySource[],
  days: readonly Day[],
  wanted: (source: DailySource, day: Day) => boolean,
  windowDays: number,
): PlannedRead[] {
  const reads = sources.flatMap((source) => {
    const chosen = days.filter((day) => wanted(source, day));
    return source.slicing.reading === 'pages'
      ? chosen.map((day) => ({ source, days: [day] }))
      : windowsOf(chosen, windowDays).map((window) => ({ source, days: window }));
  });
  return reads.sort((a, b) => (lastOf(a) < lastOf(b) ? 1 : lastOf(a) > lastOf(b) ? -1 : 0));
}

function windowsOf(days: readonly Day[], windowDays: number): Day[][] {
  const windows: Day[][] = [];
  for (const day of days) {
    const current = windows.at(-1);
    const previous = current?.at(-1);
    const neighbours = previous !== undefined && addDays(previous, 1) === day;
    if (neighbours && gridCell(previous, windowDays) === gridCell(day, windowDays)) current?.push(day);
    else windows.push([day]);
  }
  return windows;
}

function gridCell(day: Day, windowDays: number): number {
  return Math.floor(daysBetween(earliestDay, day) / windowDays);
}

function lastOf({ days }: PlannedRead): string {
  return days.at(-1) ?? '';
}

/** Reads without the days after `servedUntil`, and the slices that are missing from them. */
export function withoutUnserved(
  reads: readonly PlannedRead[],
  servedUntil: Day,
): { readonly served: readonly PlannedRead[]; readonly unserved: readonly DailySlice[] } {
  return {
    served: reads
      .map(({ source, days }) => ({ source, days: days.filter((day) => day <= servedUntil) }))
      .filter(({ days }) => days.length > 0),
    unserved: reads.flatMap(({ source, days }) =>
      days.filter((day) => day > servedUntil).map((day) => dailySlice(source, day)),
    ),
  };
}

/** Splits a read that was too large for the platform into two; undefined when it is a single day. */
export function splitRead({ source, days }: PlannedRead): [PlannedRead, PlannedRead] | undefined {
  if (days.length < 2) return undefined;
  const middle = Math.ceil(days.length / 2);
  return [
    { source, days: days.slice(0, middle) },
    { source, days: days.slice(middle) },
  ];
}
