/** What all loads of a run share: the place, the rules, and who is told what became of each slice. */
import type pg from 'pg';
import { flattenOf } from '../../flatten/flatten.ts';
import type { CountedDrift, RejectedRecords } from '../../model/drift.ts';
import {
  CredentialsRefusedError,
  explain,
  LockTimeoutError,
  RequestFailedError,
} from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import type { Slice } from '../../model/source.ts';
import type { StoredTable } from '../../model/table.ts';
import { sources } from '../../sources/registry.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { transactOnce } from '../../warehouse/connection/reconnect.ts';
import { countDrift, replaceRejected } from '../../warehouse/ledger/quarantine.ts';
import { type HeldRows, recordFailure } from '../../warehouse/ledger/slice-failures.ts';
import { type Ledger, type LedgerEntry, ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { type DimensionKeys, openDimensionKeys } from '../../warehouse/load/dimension-keys.ts';
import { countHeld, scopeTextOf } from '../../warehouse/load/slice-target.ts';

/** What loading needs to know. */
export interface LoadContext {
  readonly pool: pg.Pool;
  readonly orgKey: number;
  readonly runId: string;
  readonly keys: DimensionKeys;
  /** The ledger when the run began. */
  readonly ledger: Ledger;
  /** Compares every row, even where records or content are known. */
  readonly force: boolean;
  /** An answer may delete any share of a slice's rows, or all of them. */
  readonly allowEmpty: boolean;
  /** Whether the archive keeps what was received. Undefined when it came from there: the archive stays as it is. */
  readonly archives: boolean | undefined;
  /** A slice fails when a larger share of the records of one path is rejected; from 0 to 1. */
  readonly maxRejectedShare: number;
  /** An answer is refused when it would take a larger share of the slice's rows from one table, net; from 0 to 1. */
  readonly maxDeletedShare: number;
  /** A transaction that has so many rows takes no further slice. */
  readonly listRows: number;
  /** Whether what comes holds no e-mail addresses. */
  readonly withholdsEmails: boolean;
  /** Ends waits for a lost database. */
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  /** Hides secrets in a text that will be stored or shown. */
  readonly redact: Sanitizer;
  /** Hears of a slice without rows, here and in the answer. The end of the run decides whether that is believed. */
  readonly onNothing: (slice: Slice, deleted: number) => void;
}

/** What the context of one job differs in from that of another. */
type LoadRules = Pick<LoadContext, 'force' | 'allowEmpty' | 'archives' | 'onNothing'>;
type RunOfLoads = Pick<LoadContext, 'pool' | 'orgKey' | 'runId' | 'ledger' | 'signal' | 'onEvent' | 'redact'>;
type LoadBounds = Pick<LoadContext, 'maxRejectedShare' | 'maxDeletedShare' | 'listRows' | 'withholdsEmails'>;

/** The context of a run's loads into one organization. */
export function openLoads(run: RunOfLoads, bounds: LoadBounds, rules: LoadRules): LoadContext {
  const { maxRejectedShare, maxDeletedShare, listRows, withholdsEmails } = bounds;
  const keys = openDimensionKeys(run.pool, run.orgKey, run.signal);
  return { ...run, maxRejectedShare, maxDeletedShare, listRows, withholdsEmails, ...rules, keys };
}

/** What the ledger knew of a slice when the run began. */
export function knownOf(
  { ledger }: Pick<LoadContext, 'ledger'>,
  { endpoint, key }: Slice,
): LedgerEntry | undefined {
  return ledger.get(ledgerKey(endpoint, key));
}

/** Rows of the main table that the ledger counts. */
export function rowCountOf(
  tables: readonly StoredTable[],
  tableRows: Readonly<Record<string, number>>,
): number {
  return tableRows[tables[0]?.name ?? ''] ?? 0;
}

/** What recording a failure needs. */
type FailContext = Pick<
  LoadContext,
  'pool' | 'orgKey' | 'runId' | 'ledger' | 'signal' | 'onEvent' | 'redact'
>;

/**
 * Records and reports a failure; says whether the platform had answered. Throws what must stop the run: refused
 * credentials, and its abort.
 */
export async function failSlice(
  context: FailContext,
  slice: Slice,
  error: unknown,
  rejected?: RejectedRecords,
): Promise<boolean> {
  if (error instanceof CredentialsRefusedError) throw error;
  const { pool, orgKey, runId, signal, onEvent } = context;
  signal.throwIfAborted();
  const reason = context.redact(explain(error));
  const held = await heldOf(context, slice, error);
  await transactOnce(pool, signal, async ({ db }) => {
    if (rejected !== undefined)
      await replaceRejected(db, orgKey, runId, [{ slice, rejected: rejected.kept }]);
    const failure = { runId, error: reason, rejectedCount: rejected?.count };
    await recordFailure(db, orgKey, slice, held === undefined ? failure : { ...failure, held });
  });
  onEvent({ type: 'slice-failed', slice, error, reason, rejected: rejected?.count ?? 0 });
  return !(error instanceof RequestFailedError);
}

/** Records and reports what was not as expected of answers beside their records, whatever becomes of the slice. */
export async function recordDrift(
  { pool, orgKey, runId, signal, onEvent }: FailContext,
  slice: Slice,
  drift: readonly CountedDrift[],
): Promise<void> {
  await transactOnce(pool, signal, ({ db }) => countDrift(db, orgKey, runId, slice.endpoint, drift));
  onEvent({ type: 'answers-drifted', slice, drift });
}

/**
 * What the tables hold of a slice of which the ledger says that nothing is held: somebody may have removed its row.
 * Undefined when that is so, or when it cannot be found out.
 */
async function heldOf(context: FailContext, slice: Slice, error: unknown): Promise<HeldRows | undefined> {
  const known = knownOf(context, slice)?.status;
  const source = sources.find(({ name }) => name === slice.endpoint);
  // Who could not have the tables to write would wait for them once more.
  if (known === 'loaded' || known === 'empty' || source === undefined || error instanceof LockTimeoutError)
    return undefined;
  const { tables } = flattenOf(source);
  const target = { orgKey: context.orgKey, tables, slices: [slice] };
  try {
    const counted = await withSession(context.pool, (session) => countHeld(session, target));
    const tableRows = counted.get(scopeTextOf(slice));
    return tableRows === undefined ? undefined : { rowCount: rowCountOf(tables, tableRows), tableRows };
  } catch {
    // Why the slice failed is what must be told.
    return undefined;
  }
}

/** Lets the slices of receipts fail, all for the same reason. None of them is left to be loaded. */
export async function failAll(
  context: FailContext,
  receipts: readonly { readonly slice: Slice }[],
  error: unknown,
): Promise<[]> {
  for (const { slice } of receipts) await failSlice(context, slice, error);
  return [];
}

/** Whether every slice would wait as long as the one that failed so, and in vain. */
export function isForAll(error: unknown): boolean {
  return error instanceof LockTimeoutError && error.isOfWholeTable;
}
