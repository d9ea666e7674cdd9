/** The context that all loads of a run share: connection, rules and callbacks. */
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
import type { SharedByRuns } from '../runs/shared-by-runs.ts';

/** The context of a load. */
export interface LoadContext {
  readonly pool: pg.Pool;
  readonly orgKey: number;
  readonly runId: string;
  readonly keys: DimensionKeys;
  /** The ledger when the run began. */
  readonly ledger: Ledger;
  /** Compares every row, also if the records or the content are known. */
  readonly force: boolean;
  /** Whether an answer may delete any share of a slice's rows, or all of them. */
  readonly allowEmpty: boolean;
  /** Whether answers are archived. Undefined: the slices come from the archive, which does not change. */
  readonly archives: boolean | undefined;
  /** From 0 to 1: a slice fails if a larger share of the records of one path is rejected. */
  readonly maxRejectedShare: number;
  /** From 0 to 1: an answer is refused if a table would lose a larger share of the slice's rows (deleted minus new ones). */
  readonly maxDeletedShare: number;
  /** A transaction that has so many rows takes no further slice. */
  readonly listRows: number;
  /** Whether e-mail addresses were removed from the answers (`USER_EMAIL=none`). */
  readonly withholdsEmails: boolean;
  /** Ends waits for a lost connection. */
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  /** Hides secrets in a text that will be stored or shown. */
  readonly redact: Sanitizer;
  /**
   * Called for a slice without rows in the answer and in the tables. At its end the run decides whether the slice is
   * `empty`.
   */
  readonly onWithoutRows: (slice: Slice, deleted: number) => void;
}

/** The part of the context that differs between jobs. */
type LoadRules = Pick<LoadContext, 'force' | 'allowEmpty' | 'archives' | 'onWithoutRows'>;
type RunOfLoads = Pick<
  LoadContext,
  'pool' | 'orgKey' | 'runId' | 'ledger' | 'signal' | 'onEvent' | 'redact'
> & {
  readonly shared?: Pick<SharedByRuns, 'dimensionRows'> | undefined;
};
type LoadBounds = Pick<LoadContext, 'maxRejectedShare' | 'maxDeletedShare' | 'listRows' | 'withholdsEmails'>;

/** The context of a run's loads into one organization. */
export function openLoads(run: RunOfLoads, bounds: LoadBounds, rules: LoadRules): LoadContext {
  const { maxRejectedShare, maxDeletedShare, listRows, withholdsEmails } = bounds;
  const keys = openDimensionKeys(run.pool, run.orgKey, run.signal, run.shared?.dimensionRows);
  return { ...run, maxRejectedShare, maxDeletedShare, listRows, withholdsEmails, ...rules, keys };
}

/** The ledger entry that a slice had when the run began. */
export function knownOf(
  { ledger }: Pick<LoadContext, 'ledger'>,
  { endpoint, key }: Slice,
): LedgerEntry | undefined {
  return ledger.get(ledgerKey(endpoint, key));
}

/** The number of rows in the main table of a source, from the numbers by table. */
export function rowCountOf(
  tables: readonly StoredTable[],
  tableRows: Readonly<Record<string, number>>,
): number {
  return tableRows[tables[0]?.name ?? ''] ?? 0;
}

/** The part of the context that recording a failure needs. */
type FailContext = Pick<
  LoadContext,
  'pool' | 'orgKey' | 'runId' | 'ledger' | 'signal' | 'onEvent' | 'redact'
>;

/**
 * Records and reports that a slice failed; returns whether the platform had answered. Throws only errors that must stop
 * the run: refused credentials, and the abort of the run.
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

/** Records and reports drift of answers outside their records, also if the slice fails. */
export async function recordDrift(
  { pool, orgKey, runId, signal, onEvent }: FailContext,
  slice: Slice,
  drift: readonly CountedDrift[],
): Promise<void> {
  await transactOnce(pool, signal, ({ db }) => countDrift(db, orgKey, runId, slice.endpoint, drift));
  onEvent({ type: 'answers-drifted', slice, drift });
}

/**
 * Counts the stored rows of a slice that is not held by the ledger, because a person may have removed its ledger row.
 * Undefined if the slice has no rows, or if they cannot be counted.
 */
async function heldOf(context: FailContext, slice: Slice, error: unknown): Promise<HeldRows | undefined> {
  const known = knownOf(context, slice)?.status;
  const source = sources.find(({ name }) => name === slice.endpoint);
  // After a lock time-out, counting would wait for the tables once more.
  if (known === 'loaded' || known === 'empty' || source === undefined || error instanceof LockTimeoutError)
    return undefined;
  const { tables } = flattenOf(source);
  const target = { orgKey: context.orgKey, tables, slices: [slice] };
  try {
    const counted = await withSession(context.pool, (session) => countHeld(session, target));
    const tableRows = counted.get(scopeTextOf(slice));
    return tableRows === undefined ? undefined : { rowCount: rowCountOf(tables, tableRows), tableRows };
  } catch {
    // The failure of the slice is reported, not that of counting.
    return undefined;
  }
}

/** Fails all slices of receipts for the same reason. Returns no slices to load. */
export async function failAll(
  context: FailContext,
  receipts: readonly { readonly slice: Slice }[],
  error: unknown,
): Promise<[]> {
  for (const { slice } of receipts) await failSlice(context, slice, error);
  return [];
}

/** Whether an error would meet every other slice, too: each would wait for the locked table, and fail. */
export function isForAll(error: unknown): boolean {
  return error instanceof LockTimeoutError && error.isOfWholeTable;
}
