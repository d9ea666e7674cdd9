/** Where slices are loaded to, under which rules, and how it is told what became of them. */
import type pg from 'pg';
import type { Rejection } from '../../model/drift.ts';
import { CredentialsRefusedError, explain, RequestFailedError } from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Slice } from '../../model/source.ts';
import type { TableDefinition } from '../../model/table.ts';
import { withTransaction } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { replaceRejected } from '../../warehouse/ledger/quarantine.ts';
import { type Ledger, type LedgerEntry, ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { recordFailure } from '../../warehouse/ledger/slice-outcomes.ts';
import { type DimensionKeys, openDimensionKeys } from '../../warehouse/load/dimension-keys.ts';

/** What loading needs to know. */
export interface LoadContext {
  readonly pool: pg.Pool;
  readonly orgKey: number;
  readonly runId: string;
  readonly keys: DimensionKeys;
  /** As it was when the run began. */
  readonly ledger: Ledger;
  /** Compares every row, also where records or content are known. */
  readonly force: boolean;
  /** An answer without rows empties a slice that has some, and any share of its rows may vanish. */
  readonly allowEmpty: boolean;
  /** Keeps what was received, in the place of what is archived; undefined where it came from the archive. */
  readonly archives: boolean | undefined;
  /** Share of the records of one path, from 0 to 1, beyond which a slice fails. */
  readonly maxRejectedShare: number;
  /** Share of the rows of one table, from 0 to 1, beyond which an answer that would delete them is refused. */
  readonly maxDeletedShare: number;
  /** Rows that one transaction takes before the next slice waits for another. */
  readonly listRows: number;
  /** Ends waits for a lost database. */
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  /** Hides secrets in a text that will be stored or shown. */
  readonly redact: (text: string) => string;
  /** Hears of a slice of which nothing came and nothing is held: whether that is believed is decided at the end. */
  readonly onNothing: (slice: Slice, deleted: number) => void;
}

/** What the context of one job differs in from that of another. */
type LoadRules = Pick<LoadContext, 'force' | 'allowEmpty' | 'archives' | 'onNothing'>;
type RunOfLoads = Pick<LoadContext, 'pool' | 'orgKey' | 'runId' | 'ledger' | 'signal' | 'onEvent' | 'redact'>;
type LoadBounds = Pick<LoadContext, 'maxRejectedShare' | 'maxDeletedShare' | 'listRows'>;

/** The context of a run's loads into one organization. */
export function openLoads(run: RunOfLoads, bounds: LoadBounds, rules: LoadRules): LoadContext {
  const { maxRejectedShare, maxDeletedShare, listRows } = bounds;
  const keys = openDimensionKeys(run.pool, run.orgKey, run.signal);
  return { ...run, maxRejectedShare, maxDeletedShare, listRows, ...rules, keys };
}

/** What the ledger knew of a slice when the run began. */
export function knownOf({ ledger }: LoadContext, { endpoint, key }: Slice): LedgerEntry | undefined {
  return ledger.get(ledgerKey(endpoint, key));
}

/** Rows of the main table that the ledger counts. */
export function rowCountOf(
  tables: readonly TableDefinition[],
  tableRows: Readonly<Record<string, number>>,
): number {
  return tableRows[tables[0]?.name ?? ''] ?? 0;
}

/**
 * Records and reports a failure; says whether the platform had answered. Rethrows what must stop the run: refused
 * credentials, and its abort.
 */
export async function failSlice(
  context: Pick<LoadContext, 'pool' | 'orgKey' | 'runId' | 'signal' | 'onEvent' | 'redact'>,
  slice: Slice,
  error: unknown,
  rejected: readonly Rejection[] = [],
): Promise<boolean> {
  if (error instanceof CredentialsRefusedError) throw error;
  const { pool, orgKey, runId, signal, onEvent } = context;
  signal.throwIfAborted();
  const reason = context.redact(explain(error));
  const rejectedCount = rejected.length > 0 ? rejected.length : undefined;
  await retryOnConnectionLoss(signal, () =>
    withTransaction(pool, async ({ db }) => {
      if (rejectedCount !== undefined) await replaceRejected(db, orgKey, runId, [{ slice, rejected }]);
      await recordFailure(db, orgKey, slice, { runId, error: reason, rejectedCount });
    }),
  );
  onEvent({ type: 'slice-failed', slice, error, reason, rejected: rejected.length });
  return !(error instanceof RequestFailedError);
}
