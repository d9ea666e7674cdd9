/**
 * Loads received or archived slices of one source; every load uses these functions. Slices are flattened and written, many
 * in one transaction. If a transaction fails, the batch is split, until the failing slice is alone. Doubted answers without
 * rows are only recorded.
 */

import { flattenOf } from '../../flatten/flatten.ts';
import { TooManyRejectedError } from '../../model/errors.ts';
import type { Refusal } from '../../model/run.ts';
import type { Source } from '../../model/source.ts';
import { transactOnce } from '../../warehouse/connection/reconnect.ts';
import { countDrift, replaceRejected } from '../../warehouse/ledger/quarantine.ts';
import { recordRefusal } from '../../warehouse/ledger/slice-failures.ts';
import { recordPending } from '../../warehouse/ledger/slice-outcomes.ts';
import { countHeld, scopeTextOf, type TableRows } from '../../warehouse/load/slice-target.ts';
import type { Receipt } from '../receive/receipt.ts';
import { type FlatSlice, flattenReceipt } from './flat-slice.ts';
import { failAll, failSlice, isForAll, type LoadContext, rowCountOf } from './load-context.ts';
import { unchanged } from './recognize.ts';
import type { LoadedSlice } from './record-batch.ts';
import { writeBatch } from './write-batch.ts';

/** A batch with so many bytes of records takes no further slice: a few rows with long names may need much memory. */
const mostBatchBytes = 16 * 1024 * 1024;

/** Loads receipts of one source; records and reports the result of each slice. Throws only errors that must stop the run. */
export async function loadReceipts(
  context: LoadContext,
  source: Source,
  receipts: readonly Receipt[],
): Promise<void> {
  // A stopped run begins nothing new.
  context.signal.throwIfAborted();
  const isDoubted = source.partitioning.withoutRecords === 'doubted';
  const [nothing, some] = split(receipts, ({ records }) => isDoubted && records === 0);
  const toEmpty = await recordNothing(context, source, nothing).catch((error: unknown) =>
    failAll(context, nothing, error),
  );
  let batch: FlatSlice[] = [];
  for (const receipt of [...toEmpty, ...some]) {
    context.signal.throwIfAborted();
    const flat = await flattenOrFail(context, receipt);
    if (flat === undefined) continue;
    // A large slice is loaded alone, and flattened while it is written.
    if (flat.flattened === undefined) await loadBatch(context, source, [flat]);
    else batch.push(flat);
    const rows = batch.reduce((sum, flat) => sum + flat.rows, 0);
    const bytes = batch.reduce((sum, flat) => sum + flat.receipt.bytes, 0);
    if (rows < context.listRows && bytes < mostBatchBytes) continue;
    await loadBatch(context, source, batch);
    batch = [];
  }
  if (batch.length > 0) await loadBatch(context, source, batch);
}

function split<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/**
 * Records answers without rows that are doubted. If the tables hold rows of the slice, the answer is refused; with
 * `allowEmpty` the receipts of such slices are returned instead, to be loaded.
 */
async function recordNothing(
  context: LoadContext,
  source: Source,
  nothing: readonly Receipt[],
): Promise<readonly Receipt[]> {
  if (nothing.length === 0) return [];
  const { pool, orgKey, runId, signal, onEvent } = context;
  const slices = nothing.map(({ slice }) => slice);
  const { tables } = flattenOf(source);
  const held = await transactOnce(pool, signal, async (session) => {
    const counted = await countHeld(session, { orgKey, tables, slices });
    const [kept, absent] = split(slices, (slice) => counted.has(scopeTextOf(slice)));
    await recordPending(session.db, orgKey, runId, absent, 'kept');
    const nothingRejected = absent.map((slice) => ({ slice, rejected: [] }));
    await replaceRejected(session.db, orgKey, runId, nothingRejected);
    if (context.allowEmpty) return counted;
    for (const slice of kept) {
      const tableRows = counted.get(scopeTextOf(slice)) ?? {};
      const held = { rowCount: rowCountOf(tables, tableRows), tableRows };
      await recordRefusal(session.db, orgKey, slice, { runId, error: emptied, held });
    }
    const drift = kept.map(
      ({ key }) => ({ path: 'data', kind: 'shrunk', example: key, occurrences: 1 }) as const,
    );
    await countDrift(session.db, orgKey, runId, source.name, drift);
    return counted;
  });
  const [kept, absent] = split(nothing, ({ slice }) => held.has(scopeTextOf(slice)));
  for (const { slice } of absent) context.onWithoutRows(slice, 0);
  if (context.allowEmpty) return kept;
  for (const { slice } of kept)
    onEvent({
      type: 'slice-done',
      slice,
      outcome: { ...unchanged, result: 'refused', refused: emptying(held.get(scopeTextOf(slice)) ?? {}) },
      rowsRead: 0,
      drift: [],
    });
  return [];
}

const emptied = 'the platform reports no rows, but the slice was loaded with rows; they were kept';

/** The refusal of an answer without rows: it is refused however few rows the tables hold. */
function emptying(tableRows: TableRows): Refusal {
  const tables = Object.entries(tableRows).map(([table, held]) => ({ table, held, wouldHold: 0 }));
  return { reason: emptied, tables };
}

/** Flattens a receipt; undefined if that failed, which is recorded. */
async function flattenOrFail(context: LoadContext, receipt: Receipt): Promise<FlatSlice | undefined> {
  try {
    const flat = await flattenReceipt(receipt, context.redact);
    if (flat.flattened !== undefined) refuseMostlyRejected(context, flat);
    return flat;
  } catch (error) {
    const rejected = error instanceof TooManyRejectedError ? error.rejected : undefined;
    await failSlice(context, receipt.slice, error, rejected);
    return undefined;
  }
}

/** Throws `TooManyRejectedError` if so many records were rejected that the answer cannot be trusted. */
function refuseMostlyRejected({ maxRejectedShare }: LoadContext, { content }: FlatSlice): void {
  const reason = content.tooManyRejected(maxRejectedShare);
  if (reason !== undefined) throw new TooManyRejectedError(reason, content.rejected);
}

/** Calls `writeBatch`, and reports how long it took. */
async function timedWrite(
  context: LoadContext,
  source: Source,
  batch: readonly FlatSlice[],
): Promise<LoadedSlice[]> {
  const beganAt = performance.now();
  let isWritten = false;
  try {
    const loaded = await writeBatch(context, source, batch);
    isWritten = true;
    return loaded;
  } finally {
    const slices = batch.map(({ receipt }) => receipt.slice);
    context.onEvent({ type: 'load-ended', slices, durationMs: performance.now() - beganAt, isWritten });
  }
}

/** Loads slices in one transaction. If the transaction fails, loads each half of the batch in the same way. */
async function loadBatch(context: LoadContext, source: Source, batch: readonly FlatSlice[]): Promise<void> {
  const [only] = batch;
  try {
    for (const { slice, outcome, rowsRead, drift } of await timedWrite(context, source, batch)) {
      if (outcome.result === 'pending') context.onWithoutRows(slice, outcome.deleted);
      else context.onEvent({ type: 'slice-done', slice, outcome, rowsRead, drift });
    }
  } catch (error) {
    context.signal.throwIfAborted();
    if (batch.length === 1 && only !== undefined) {
      const rejected = error instanceof TooManyRejectedError ? error.rejected : undefined;
      await failSlice(context, only.receipt.slice, error, rejected);
      return;
    }
    if (isForAll(error)) {
      await failAll(
        context,
        batch.map(({ receipt }) => receipt),
        error,
      );
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await loadBatch(context, source, batch.slice(0, middle));
    await loadBatch(context, source, batch.slice(middle));
  }
}
