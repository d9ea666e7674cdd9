/** Builds the state that a job knows before it plans. */
import { day } from '../../src/model/day.ts';
import type { KnownSlices } from '../../src/pipeline/plan/plan.ts';
import {
  type Ledger,
  type LedgerEntry,
  ledgerKey,
  type SliceStatus,
} from '../../src/warehouse/ledger/slice-ledger.ts';

/** A ledger of days by status. The last reading of days in `failedAgain` failed; that of days in `refused` was refused. */
export function ledgerOf(
  endpoint: string,
  states: Partial<Record<SliceStatus, readonly string[]>>,
  failedAgain: readonly string[] = [],
  refused: readonly string[] = [],
): Ledger {
  const statuses = ['loaded', 'empty', 'pending', 'failed'] as const;
  const entries = statuses.flatMap((status) =>
    (states[status] ?? []).map((text): [string, LedgerEntry] => [
      ledgerKey(endpoint, text),
      {
        endpoint,
        key: text,
        usageDate: day(text),
        status,
        sourceHash: null,
        tableRows: {},
        lastFailed: failedAgain.includes(text) || refused.includes(text),
        refused: refused.includes(text) ? 'last' : undefined,
        archived: undefined,
      },
    ]),
  );
  return new Map(entries);
}

/** The state before anything was loaded or asked for. */
export const nothing: KnownSlices = { ledger: new Map(), asked: new Map() };

/** The state with this ledger; `asked` has, by endpoint, the first day that was asked for. */
export const known = (ledger: Ledger, asked: Readonly<Record<string, string>> = {}): KnownSlices => ({
  ledger,
  asked: new Map(Object.entries(asked).map(([endpoint, text]) => [endpoint, day(text)])),
});
