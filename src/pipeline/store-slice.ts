/** Brings one gathered slice into the warehouse: in one transaction, or not at all. */

import { flattenOf } from '../flatten/flatten.ts';
import type { Batch } from '../flatten/pending-rows.ts';
import { TooManyRejectedError } from '../model/errors.ts';
import type { StoredSlice } from '../model/run.ts';
import { deleteRawSlice, type RawChunk, storeRawChunks } from '../warehouse/archive/raw-archive.ts';
import { type Session, withTransaction } from '../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../warehouse/connection/reconnect.ts';
import { countDrift, replaceRejected } from '../warehouse/ledger/quarantine.ts';
import {
  type LedgerEntry,
  recordFailure,
  recordOutcome,
  type SliceOutcome,
} from '../warehouse/ledger/slice-ledger.ts';
import { beginSliceLoad, type LoadedSlice } from '../warehouse/load/slice-load.ts';
import { countStoredRows } from '../warehouse/load/slice-target.ts';
import type { GatheredSlice } from './gathered-slice.ts';
import { settleSlice } from './settle-slice.ts';
import type { StoreContext } from './store-context.ts';

/** Gathers more of a slice too large to be held at once; false when that was the last of it. */
export type GatherMore = () => Promise<boolean>;

/**
 * Stores a slice. `before` is what the ledger knew of it. With `gatherMore`, the transaction stays open while the
 * rest is read. Throws `TooManyRejectedError`, and what the database or `gatherMore` throw; nothing is stored then.
 */
export async function storeSlice(
  context: StoreContext,
  gathered: GatheredSlice,
  before: LedgerEntry | undefined,
  gatherMore?: GatherMore,
): Promise<StoredSlice> {
  if (gatherMore !== undefined)
    return withTransaction(context.pool, (session) =>
      replaceSlice(session, context, gathered, before, gatherMore),
    ).then((stored) => stored.commit());
  const skipped = await retryOnConnectionLoss(context.signal, () => settleSlice(context, gathered, before));
  if (skipped !== undefined) return skipped;
  refuseRuin(gathered, context.maxRejectedShare);
  return storePart(context, gathered, before, await takePart(gathered));
}

/** Takes what waits of a slice. */
export async function takePart({ content, raw }: GatheredSlice): Promise<Part> {
  return { batch: content.takeBatch(), chunks: (await raw?.takeChunks()) ?? [] };
}

/** Stores all of a slice in one transaction, again when the connection was lost. Throws what the database throws. */
export async function storePart(
  context: StoreContext,
  gathered: GatheredSlice,
  before: LedgerEntry | undefined,
  part: Part,
): Promise<StoredSlice> {
  const stored = await retryOnConnectionLoss(context.signal, () =>
    withTransaction(context.pool, (session) =>
      replaceSlice(session, context, gathered, before, undefined, part),
    ),
  );
  return stored.commit();
}

/** Rows of a slice, and the raw answers that they came from. */
export interface Part {
  readonly batch: Batch;
  readonly chunks: readonly RawChunk[];
}

async function replaceSlice(
  session: Session,
  context: StoreContext,
  gathered: GatheredSlice,
  before: LedgerEntry | undefined,
  gatherMore: GatherMore | undefined,
  firstPart?: Part,
): Promise<{ commit(): StoredSlice }> {
  const { orgKey, runId } = context;
  const { slice, content } = gathered;
  const target = targetOf(context, gathered);
  const stored = await countStoredRows(session, target);
  const load = beginSliceLoad(session, target, stored, context.keyCache);
  // Even of a slice that the ledger does not know: somebody may have removed it from there, to have it loaded again.
  if (context.replacesArchive) await deleteRawSlice(session.db, orgKey, slice);
  let chunkCount = 0;
  let part = firstPart;
  for (let complete = gatherMore === undefined; ; ) {
    const { batch, chunks } = part ?? (await takePart(gathered));
    part = undefined;
    content.noteReplaced(await load.write(batch));
    await storeRawChunks(session.db, orgKey, slice, runId, chunkCount, chunks);
    chunkCount += chunks.length;
    if (complete || gatherMore === undefined) break;
    // What the last gathering brought still waits to be written.
    complete = !(await gatherMore());
  }
  refuseRuin(gathered, context.maxRejectedShare);
  const loaded = await load.finish();
  await replaceRejected(session.db, { orgKey, runId, slice }, content.rejected);
  await countDrift(session.db, { orgKey, runId, slice }, content.drift);
  const changed = loaded.inserted + loaded.updated + loaded.deleted > 0;
  // What the ledger did not know may have been there; since when, nobody knows.
  const isNews = changed || before === undefined;
  await recordOutcome(session.db, orgKey, slice, outcomeOf(context, gathered, loaded.tableRows, isNews));
  return { commit: () => remember(context, loaded, content.rejected.length, before, changed) };
}

/** What the ledger is told of a slice of which the tables now hold `tableRows`. */
export function outcomeOf(
  { runId }: StoreContext,
  gathered: GatheredSlice,
  tableRows: Readonly<Record<string, number>>,
  changed: boolean,
): SliceOutcome {
  const { content, source } = gathered;
  const [mainTable] = flattenOf(source).tables;
  return {
    runId,
    status: content.read === 0 ? 'empty' : 'loaded',
    contentHash: content.contentHash() ?? null,
    sourceHash: gathered.sourceHash() ?? null,
    rowCount: tableRows[mainTable?.name ?? ''] ?? 0,
    tableRows,
    rejectedCount: content.rejected.length,
    changed,
  };
}

/** Only after the commit: keys that a transaction made are nobody's until then. */
function remember(
  context: StoreContext,
  { learned, inserted, updated, deleted }: LoadedSlice,
  rejected: number,
  before: LedgerEntry | undefined,
  changed: boolean,
): StoredSlice {
  context.keyCache.remember(learned);
  const result = before !== undefined && !changed ? 'unchanged' : 'loaded';
  return { result, inserted, updated, deleted, rejected, keptDespiteEmpty: false };
}

/** Records that a slice failed, and keeps the rows that could not be loaded. */
export async function recordSliceFailure(
  context: StoreContext,
  gathered: GatheredSlice,
  error: string,
): Promise<void> {
  const { orgKey, runId, pool, signal } = context;
  const { slice, rejected } = gathered;
  await retryOnConnectionLoss(signal, () =>
    withTransaction(pool, async ({ db }) => {
      const rejectedCount = rejected.length;
      if (rejectedCount > 0) await replaceRejected(db, { orgKey, runId, slice }, rejected);
      await recordFailure(db, orgKey, slice, { runId, error, rejectedCount });
    }),
  );
}

function refuseRuin({ content }: GatheredSlice, maxRejectedShare: number): void {
  const share = content.rejectedShare();
  if (share <= maxRejectedShare) return;
  const [first] = content.rejected;
  throw new TooManyRejectedError(
    `${content.rejected.length} of the records cannot be loaded (${(share * 100).toFixed(0)} %, more than MAX_REJECTED_SHARE allows); ` +
      `the first: ${first?.path ? `${first.path}: ` : ''}${first?.reason ?? 'unknown'}; see etl.rejected_row`,
  );
}

function targetOf({ orgKey }: StoreContext, { slice, source }: GatheredSlice) {
  return { orgKey, slice, tables: flattenOf(source).tables };
}
