/** The coverage of each endpoint: held and missing days. */
import { type Day, daysOf, endMs } from '../../model/day.ts';
import type { Source } from '../../model/source.ts';
import { ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { isHeld, type KnownSlices, wantedSince } from './plan.ts';

const hourMs = 3_600_000;

/** Coverage of one endpoint; days as `YYYY-MM-DD`. */
export interface Coverage {
  readonly endpoint: string;
  readonly first_day: Day | null;
  readonly last_day: Day | null;
  readonly days_loaded: number;
  readonly days_empty: number;
  readonly days_pending: number;
  readonly days_failed: number;
  /** Number of held days of which an answer was refused and no later reading succeeded. */
  readonly days_refused: number;
  /** Days of the range that were never read; for snapshots also days whose reading failed. */
  readonly gaps: readonly Day[];
  /** Whether the platform still serves the days in `gaps`. */
  readonly gaps_can_be_filled: boolean;
  /** Keys of failed slices; for daily sources the keys are days. */
  readonly failed: readonly string[];
  /** Keys of held slices whose answer was refused: a person must decide whether the stored rows or the answer are right. */
  readonly refused: readonly string[];
  /** Days of the range whose answer without rows is not believed yet. */
  readonly pending: readonly string[];
}

/**
 * The coverage of every source. Looks for missing days from `from` to `to`. Without `from` it begins with the first day
 * that was asked for, and for snapshots with the first snapshot. A snapshot that failed `today` can be read again; from
 * the next day on it is a gap.
 */
export function coverageOf(
  sources: readonly Source[],
  known: KnownSlices,
  { from, to, today }: { readonly from: Day | undefined; readonly to: Day; readonly today: Day },
): Coverage[] {
  return sources.map((source) => {
    const { kind, isNamed = false } = source.partitioning;
    // A slice that people named, but no longer want, is not missing.
    const isWanted = (key: string) => !isNamed || known.named?.get(source.name)?.includes(key) === true;
    const entries = [...known.ledger.values()].filter(({ endpoint }) => endpoint === source.name);
    const count = (status: string) => entries.filter((entry) => entry.status === status).length;
    const held = entries
      .filter(isHeld)
      .flatMap(({ usageDate }) => usageDate ?? [])
      .sort();
    const start = from ?? (kind === 'snapshot' ? held[0] : wantedSince(source, known));
    const days = start === undefined || kind === 'other' ? [] : daysOf({ from: start, to });
    const statusOf = (day: Day) => known.ledger.get(ledgerKey(source.name, day))?.status;
    const isGap = (status: string | undefined) =>
      status === undefined || (kind === 'snapshot' && status === 'failed');
    /** Keys of the slices with a status, among the days of the range, today's snapshot, or all slices without a day. */
    const having = (status: string) =>
      kind === 'other'
        ? entries.filter(({ key, status: of }) => of === status && isWanted(key)).map(({ key }) => key)
        : (kind === 'snapshot' ? [today] : days).filter((day) => statusOf(day) === status);
    const refused = entries.filter((entry) => entry.refused !== undefined).map(({ key }) => key);
    /** Whether a person is asked about a refused slice: about a snapshot on its day only, because later it cannot be read. */
    const isAskedAbout = (key: string) => {
      if (kind === 'other') return isWanted(key);
      return kind === 'snapshot' ? key === today : key >= (from ?? '') && key <= to;
    };
    return {
      endpoint: source.name,
      first_day: held[0] ?? null,
      last_day: held.at(-1) ?? null,
      days_loaded: count('loaded'),
      days_empty: count('empty'),
      days_pending: count('pending'),
      days_failed: count('failed'),
      days_refused: refused.length,
      gaps: days.filter((day) => isGap(statusOf(day)) && !(kind === 'snapshot' && day >= today)),
      gaps_can_be_filled: kind !== 'snapshot',
      failed: having('failed'),
      refused: refused.filter(isAskedAbout).sort(),
      pending: having('pending'),
    };
  });
}

/**
 * Whether nothing is missing, failed or refused, and `yesterday` is not pending. An empty warehouse is not complete.
 * The day `excused` may be missing, failed or pending, but not refused.
 */
export function isComplete(
  coverage: readonly Coverage[],
  { yesterday, excused }: { readonly yesterday: Day; readonly excused?: Day | undefined },
): boolean {
  const asked = (days: readonly string[]) => days.filter((each) => each !== excused);
  return (
    coverage.some(({ first_day, gaps_can_be_filled }) => first_day !== null && gaps_can_be_filled) &&
    coverage.every(
      ({ gaps, gaps_can_be_filled, failed, refused, pending }) =>
        (asked(gaps).length === 0 || !gaps_can_be_filled) &&
        asked(failed).length === 0 &&
        refused.length === 0 &&
        !asked(pending).includes(yesterday),
    )
  );
}

/**
 * The endpoints that have no held day, or whose last held day ended more than `hours` before `nowMs`. `ageHours` is the
 * time since the end of that day.
 */
export function tooOld(
  coverage: readonly Coverage[],
  hours: number,
  nowMs: number,
): { readonly endpoint: string; readonly ageHours: number | undefined }[] {
  return coverage.flatMap(({ endpoint, last_day }) => {
    const ageHours = last_day === null ? undefined : (nowMs - endMs(last_day)) / hourMs;
    return ageHours === undefined || ageHours > hours ? [{ endpoint, ageHours }] : [];
  });
}
