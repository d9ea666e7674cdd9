/** Plans reads: the slices that a job wants, grouped by the requests that bring them. Pure functions of the ledger. */
import { addDays, type Day, type DayRange, daysOf, earliestDay, laterOf } from '../../model/day.ts';
import type { SliceSelection } from '../../model/partitioning.ts';
import { type Read, readOf, type Slice, type Source } from '../../model/source.ts';
import {
  type Ledger,
  type LedgerEntry,
  ledgerKey,
  type SliceStatus,
} from '../../warehouse/ledger/slice-ledger.ts';

/** Whether the warehouse holds a slice, so that it need not be read. */
export function isHeld(entry: LedgerEntry | undefined): boolean {
  return entry?.status === 'loaded' || entry?.status === 'empty';
}

/** Plans every slice of `range` that is not held; with `force` all slices. */
export function planBackfill(
  sources: readonly Source[],
  range: DayRange,
  known: KnownSlices,
  { force, windowDays, today }: PlanOptions & { readonly force: boolean },
): Read[] {
  const selection = { days: daysOf(range), today, width: windowDays };
  return planReads(
    sources,
    selection,
    known,
    ({ name }, key) => force || !isHeld(known.ledger.get(ledgerKey(name, key))),
  );
}

/** Options of all plans. */
export interface PlanOptions {
  readonly windowDays: number;
  /** The current UTC day. */
  readonly today: Day;
}

/** What is known about slices before a job plans. */
export interface KnownSlices {
  readonly ledger: Ledger;
  /** The earliest day that any backfill asked for, by endpoint. */
  readonly asked: ReadonlyMap<string, Day>;
  /** Keys of named slices, by endpoint. */
  readonly named?: ReadonlyMap<string, readonly string[]>;
}

/**
 * The day from which on a missing day of `source` is a gap: the first day that was asked for, else the earliest
 * loaded day.
 */
export function wantedSince(source: Source, { ledger, asked }: KnownSlices): Day | undefined {
  return asked.get(source.name) ?? earliestLoadedDay(ledger);
}

/** Options of a nightly plan. */
export interface NightlyOptions extends PlanOptions {
  readonly lookbackDays: number;
  /** Slices that an earlier attempt of this night has loaded, by `ledgerKey`. */
  readonly settled?: ReadonlySet<string>;
}

/**
 * Plans `yesterday`, the `lookbackDays` days before it, every gap since the first day that was asked for (slices that
 * failed or were never read), and every slice that is pending or whose last reading failed. Slices in `settled` are left
 * out.
 */
export function planNightly(
  sources: readonly Source[],
  yesterday: Day,
  known: KnownSlices,
  { lookbackDays, windowDays, today, settled }: NightlyOptions,
): Read[] {
  const lookbackStart = laterOf(addDays(yesterday, -lookbackDays), earliestDay);
  const isWanted = (source: Source, day: string) => {
    const key = ledgerKey(source.name, day);
    if (settled?.has(key) === true) return false;
    const entry = known.ledger.get(key);
    const isGap = !isHeld(entry) && day >= (wantedSince(source, known) ?? lookbackStart);
    const isAskedAgain = entry?.status === 'pending' || entry?.lastFailed === true;
    return day >= lookbackStart || isGap || isAskedAgain;
  };
  const selection = { days: daysOf({ from: earliestDay, to: yesterday }), today, width: windowDays };
  return planReads(sources, selection, known, isWanted);
}

/** Plans every slice of `range` with this status, to compare it with what the platform answers now. */
export function planComparison(
  sources: readonly Source[],
  range: DayRange,
  known: KnownSlices,
  { windowDays, today, status }: PlanOptions & { readonly status: SliceStatus },
): Read[] {
  const selection = { days: daysOf(range), today, width: windowDays };
  return planReads(
    sources,
    selection,
    known,
    ({ name }, key) => known.ledger.get(ledgerKey(name, key))?.status === status,
  );
}

/** The earliest loaded day of all sources; undefined for an empty ledger. */
export function earliestLoadedDay(ledger: Ledger): Day | undefined {
  let earliest: Day | undefined;
  for (const { status, usageDate } of ledger.values())
    if (status === 'loaded' && usageDate !== null && (earliest === undefined || usageDate < earliest))
      earliest = usageDate;
  return earliest;
}

/**
 * Makes reads of the wanted slices, newest first, because people look most at the newest days. A user's e-mail follows the
 * latest day: with the newest day first it is written once instead of once for each day. Slices without a day come last.
 */
function planReads(
  sources: readonly Source[],
  selection: Omit<SliceSelection, 'named' | 'isWanted'>,
  { named }: KnownSlices,
  isWanted: (source: Source, key: string) => boolean,
): Read[] {
  const reads = sources.flatMap((source) =>
    source.partitioning
      .plan({
        ...selection,
        named: named?.get(source.name) ?? [],
        isWanted: (key) => isWanted(source, key),
      })
      .flatMap((keys) => readOf(source, keys) ?? []),
  );
  return reads.sort((a, b) => (lastOf(a) < lastOf(b) ? 1 : lastOf(a) > lastOf(b) ? -1 : 0));
}

function lastOf({ slices }: Read): string {
  return slices.at(-1)?.usageDate ?? '';
}

/** Separates slices after `servedUntil`, which the platform does not serve yet, from the reads. */
export function withoutUnserved(
  reads: readonly Read[],
  servedUntil: Day,
): { readonly served: readonly Read[]; readonly unserved: readonly Slice[] } {
  const isServed = ({ source }: Read, { usageDate }: Slice) =>
    source.partitioning.kind !== 'day' || (usageDate ?? '') <= servedUntil;
  return {
    served: reads.flatMap(
      (read) =>
        readOf(
          read.source,
          read.slices.filter((slice) => isServed(read, slice)).map(({ key }) => key),
        ) ?? [],
    ),
    unserved: reads.flatMap((read) => read.slices.filter((slice) => !isServed(read, slice))),
  };
}
