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
  /** Held days whose answer was refused, without a later successful reading. */
  readonly days_refused: number;
  /** Days of the range that were never read; for snapshots also days whose reading failed. */
  readonly gaps: readonly Day[];
  /** Whether the platform still serves them. */
  readonly gaps_can_be_filled: boolean;
  /** Keys of failed slices; for daily sources the keys are days. */
  readonly failed: readonly string[];
  /** Keys of held slices whose answer was refused: a person must decide which is right. */
  readonly refused: readonly string[];
  /** Days of the range whose answer without rows is not believed yet. */
  readonly pending: readonly string[];
}

/**
 * The coverage of every source. Looks for missing days from `from` to `to`; without `from`, since the first day that
 * was asked for, or for snapshots since the first one. A snapshot that failed `today` can be read again; later it is
 * a gap.
 */
export function coverageOf(
  sources: readonly Source[],
  known: KnownSlices,
  { from, to, today }: { readonly from: Day | undefined; readonly to: Day; readonly today: Day },
): Coverage[] {
  return sources.map((source) => {
    const { kind, isNamed = false } = source.partitioning;
    // A named slice that is no longer wanted is not missing.
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
    /** Keys of slices with a status: of the days in the range, of today's snapshot, or of all slices without days. */
    const having = (status: string) =>
      kind === 'other'
        ? entries.filter(({ key, status: of }) => of === status && isWanted(key)).map(({ key }) => key)
        : (kind === 'snapshot' ? [today] : days).filter((day) => statusOf(day) === status);
    const refused = entries.filter((entry) => entry.refused !== undefined).map(({ key }) => key);
    /** A refused snapshot can be decided only on its day; a refused day at any time. */
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
 * The day `excused` does not count, unless it was refused.
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
 * The endpoints whose last held day ended more than `hours` before `nowMs`, or that have none; with its age in hours.
 */
export function tooOld(
  coverage: readonly Pick<Coverage, 'endpoint' | 'last_day'>[],
  hours: number,
  nowMs: number,
): { readonly endpoint: string; readonly ageHours: number | undefined }[] {
  return coverage.flatMap(({ endpoint, last_day }) => {
    const ageHours = last_day === null ? undefined : (nowMs - endMs(last_day)) / hourMs;
    return ageHours === undefined || ageHours > hours ? [{ endpoint, ageHours }] : [];
  });
}
