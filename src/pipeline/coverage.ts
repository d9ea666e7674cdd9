/** What the warehouse covers: per endpoint, which days are there and which are missing. */
import { type Day, daysOf } from '../model/day.ts';
import type { DailySource } from '../model/source.ts';
import { ledgerKey } from '../warehouse/ledger/slice-ledger.ts';
import { isHeld, type KnownSlices, wantedSince } from './plan.ts';

/** Coverage of one endpoint; days as `YYYY-MM-DD`. */
export interface Coverage {
  readonly endpoint: string;
  readonly first_day: Day | null;
  readonly last_day: Day | null;
  readonly days_loaded: number;
  readonly days_empty: number;
  readonly days_pending: number;
  readonly days_failed: number;
  /** Days of the range that were never read. */
  readonly gaps: readonly Day[];
  readonly failed: readonly Day[];
  /** Days of the range that were answered without rows, which is not believed yet. */
  readonly pending: readonly Day[];
}

/** Coverage of every source. What is missing is looked for from `from` on, or since it was asked for, up to `to`. */
export function coverageOf(
  sources: readonly DailySource[],
  known: KnownSlices,
  { from, to }: { readonly from: Day | undefined; readonly to: Day },
): Coverage[] {
  return sources.map((source) => {
    const entries = [...known.ledger.values()].filter(({ endpoint }) => endpoint === source.name);
    const count = (status: string) => entries.filter((entry) => entry.status === status).length;
    const held = entries
      .filter(isHeld)
      .flatMap(({ usageDate }) => usageDate ?? [])
      .sort();
    const start = from ?? wantedSince(source, known);
    const days = start === undefined ? [] : daysOf({ from: start, to });
    const entryOf = (day: Day) => known.ledger.get(ledgerKey(source.name, day));
    return {
      endpoint: source.name,
      first_day: held[0] ?? null,
      last_day: held.at(-1) ?? null,
      days_loaded: count('loaded'),
      days_empty: count('empty'),
      days_pending: count('pending'),
      days_failed: count('failed'),
      gaps: days.filter((day) => entryOf(day) === undefined),
      failed: days.filter((day) => entryOf(day)?.status === 'failed'),
      pending: days.filter((day) => entryOf(day)?.status === 'pending'),
    };
  });
}

/** Whether nothing is missing or failed, and `yesterday` is not pending; nothing loaded at all is not complete. */
export function isComplete(coverage: readonly Coverage[], yesterday: Day): boolean {
  return (
    coverage.some(({ first_day }) => first_day !== null) &&
    coverage.every(
      ({ gaps, failed, pending }) => gaps.length === 0 && failed.length === 0 && !pending.includes(yesterday),
    )
  );
}
