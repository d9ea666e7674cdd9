/** What the warehouse covers: per endpoint, which days are there and which are missing. */
import { type Day, type DayRange, daysOf } from '../model/day.ts';
import type { DailySource } from '../model/source.ts';
import { type Ledger, ledgerKey } from '../warehouse/ledger/slice-ledger.ts';
import { isHeld } from './plan.ts';

/** Coverage of one endpoint; days as `YYYY-MM-DD`. */
export interface Coverage {
  readonly endpoint: string;
  readonly first_day: Day | null;
  readonly last_day: Day | null;
  readonly days_loaded: number;
  readonly days_empty: number;
  readonly days_pending: number;
  readonly days_failed: number;
  /** Days of the range that the ledger does not hold and that did not fail. */
  readonly gaps: readonly Day[];
  readonly failed: readonly Day[];
}

/** Coverage of every source; gaps and failures are looked for in `range`, or nowhere when it is undefined. */
export function coverageOf(
  sources: readonly DailySource[],
  ledger: Ledger,
  range: DayRange | undefined,
): Coverage[] {
  return sources.map((source) => {
    const entries = [...ledger.values()].filter(({ endpoint }) => endpoint === source.name);
    const count = (status: string) => entries.filter((entry) => entry.status === status).length;
    const loaded = entries
      .filter((entry) => entry.status === 'loaded')
      .flatMap(({ usageDate }) => usageDate ?? [])
      .sort();
    const days = range === undefined ? [] : daysOf(range);
    const entryOf = (day: Day) => ledger.get(ledgerKey(source.name, day));
    return {
      endpoint: source.name,
      first_day: loaded[0] ?? null,
      last_day: loaded.at(-1) ?? null,
      days_loaded: loaded.length,
      days_empty: count('empty'),
      days_pending: count('pending'),
      days_failed: count('failed'),
      gaps: days.filter((day) => !isHeld(entryOf(day)) && entryOf(day)?.status !== 'failed'),
      failed: days.filter((day) => entryOf(day)?.status === 'failed'),
    };
  });
}

/** Whether every slice of the range is held. */
export function isComplete(coverage: readonly Coverage[]): boolean {
  return coverage.every(({ gaps, failed }) => gaps.length === 0 && failed.length === 0);
}
