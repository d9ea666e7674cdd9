/** Brings one gathered slice into the warehouse: in one transaction, or not at all. */
import type pg from 'pg';
import { TooManyRejectedError } from '../model/errors.ts';
import type { Batch } from '../model/pending-rows.ts';
import type { RowChanges, StoredSlice } from '../model/run.ts';
import { type Session, withSession, withTransaction } from '../warehouse/connection.ts';
import type { KeyCache } from '../warehouse/dimension-keys.ts';
import { countDrift, replaceRejected } from '../warehouse/quarantine.ts';
import { deleteRawSlice, type RawChunk, storeRawChunks } from '../warehouse/raw-archive.ts';
import { retryOnConnectionLoss } from '../warehouse/reconnect.ts';
import {
  type LedgerEntry,
  recordFailure,
  recordOutcome,
  recordUnchanged,
} from '../warehouse/slice-ledger.ts';
import { beginSliceLoad, type LoadedSlice } from '../warehouse/slice-load.ts';
import { countStoredRows, holdsRows } from '../warehouse/slice-target.ts';
import type { GatheredSlice } from './gathered-slice.ts';

/** Where slices go, and under which rules. */
export interface StoreContext {
  readonly pool: pg.Pool;
  readonly orgKey: number;
  readonly runId: string;
  readonly keyCache: KeyCache;
  /** A slice of this day without rows is pending, not empty: the platform may just not have counted it yet. */
  readonly yesterday: string;
  /** An answer without rows empties a slice that has some. */
  readonly allowEmpty: boolean;
  /** Skips the load of content that is known to be there. */
  readonly skipUnchanged: boolean;
  /** What is archived of a slice is replaced by what was gathered now; false where it came from the archive. */
  readonly replacesArchive: boolean;
  /** Share of records, from 0 to 1, beyond which a slice fails. */
  readonly maxRejectedShare: number;
  /** Ends waits for a lost database. */
  readonly signal: AbortSignal;
}

/** Gathers more of a slice too large to be held at once; false when that was the last of it. */
export type GatherMore = () => Promise<boolean>;

const noChanges: RowChanges = { inserted: 0, updated: 0, deleted: 0 };

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
  const skipped = await retryOnConnectionLoss(context.signal, () => skipIfSettled(context, gathered, before));
  if (skipped !== undefined) return skipped;
  refuseRuin(gathered, context.maxRejectedShare);
  const part = { batch: gathered.content.takeBatch(), chunks: (await gathered.raw?.takeChunks()) ?? [] };
  let repeated = false;
  const stored = await retryOnConnectionLoss(context.signal, () => {
    const attempt = { ...part, repeated };
    repeated = true;
    return withTransaction(context.pool, (session) =>
      replaceSlice(session, context, gathered, before, undefined, attempt),
    );
  });
  return stored.commit();
}

/** Settles a slice without touching a fact: it is as it was, or the platform reports nothing for it. */
async function skipIfSettled(
  context: StoreContext,
  gathered: GatheredSlice,
  before: LedgerEntry | undefined,
): Promise<StoredSlice | undefined> {
  const hadRows = before !== undefined && Object.values(before.tableRows).some((count) => count > 0);
  if (gathered.read === 0 && !(hadRows && context.allowEmpty))
    return settleEmpty(context, gathered, before, hadRows);
  // After a failure there may be rejected rows, which are not to be left behind.
  if (!context.skipUnchanged || before === undefined || !hadRows || before.status === 'failed')
    return undefined;
  if (!gathered.isRecognized() && !hasSameContent(gathered, before)) return undefined;
  const sourceHash = gathered.sourceHash() ?? null;
  const { pool, orgKey, runId } = context;
  const asRecorded = holdsRows(targetOf(context, gathered), before.tableRows);
  const settled = await withSession(pool, ({ db }) =>
    recordUnchanged(db, orgKey, gathered.slice, { runId, sourceHash }, asRecorded),
  );
  return settled ? { ...noChanges, result: 'unchanged', rejected: 0, keptDespiteEmpty: false } : undefined;
}

/** The same content in other bytes, such as another order. With drift there is more in it, which is to be archived. */
function hasSameContent({ content }: GatheredSlice, { contentHash }: LedgerEntry): boolean {
  return (
    contentHash !== null && content.drift.length === 0 && content.contentHash()?.equals(contentHash) === true
  );
}

async function settleEmpty(
  context: StoreContext,
  { slice }: GatheredSlice,
  before: LedgerEntry | undefined,
  hadRows: boolean,
): Promise<StoredSlice> {
  const { orgKey, runId } = context;
  return withTransaction(context.pool, async ({ db }) => {
    if (hadRows && before !== undefined) {
      await recordUnchanged(db, orgKey, slice, { runId, sourceHash: before.sourceHash });
      await countDrift(db, { orgKey, runId, slice }, [
        { path: 'data', kind: 'emptied_slice', example: slice.key, occurrences: 1 },
      ]);
      return { ...noChanges, result: 'empty', rejected: 0, keptDespiteEmpty: true };
    }
    if (before !== undefined) await replaceRejected(db, { orgKey, runId, slice }, [], true);
    const status = slice.usageDate === context.yesterday ? 'pending' : 'empty';
    await recordOutcome(db, orgKey, slice, {
      runId,
      status,
      contentHash: null,
      sourceHash: null,
      rowCount: 0,
      tableRows: {},
      rejectedCount: 0,
      changed: false,
    });
    return { ...noChanges, result: status, rejected: 0, keptDespiteEmpty: false };
  });
}

interface Part {
  readonly batch: Batch;
  readonly chunks: readonly RawChunk[];
  /** Whether it was stored before, and the connection lost before we heard of the commit. */
  readonly repeated: boolean;
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
  const mayBeStored = before !== undefined || firstPart?.repeated === true;
  if (mayBeStored && context.replacesArchive) await deleteRawSlice(session.db, orgKey, slice);
  let chunkCount = 0;
  let part: Omit<Part, 'repeated'> | undefined = firstPart;
  for (let complete = gatherMore === undefined; ; ) {
    const { batch, chunks } = part ?? {
      batch: content.takeBatch(),
      chunks: (await gathered.raw?.takeChunks()) ?? [],
    };
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
  await replaceRejected(session.db, { orgKey, runId, slice }, content.rejected, mayBeStored);
  await countDrift(session.db, { orgKey, runId, slice }, content.drift);
  const [mainTable] = gathered.source.flatten.tables;
  const rowCount = loaded.tableRows[mainTable?.name ?? ''] ?? 0;
  const changed = loaded.inserted + loaded.updated + loaded.deleted > 0;
  await recordOutcome(session.db, orgKey, slice, {
    runId,
    status: content.read === 0 ? 'empty' : 'loaded',
    contentHash: content.contentHash() ?? null,
    sourceHash: gathered.sourceHash() ?? null,
    rowCount,
    tableRows: loaded.tableRows,
    rejectedCount: content.rejected.length,
    changed,
  });
  return { commit: () => remember(context, loaded, content.rejected.length, before, changed) };
}

/** Only after the commit: keys that a transaction made are nobody's until then. */
function remember(
  context: StoreContext,
  { learned, inserted, updated, deleted }: LoadedSlice,
  rejected: number,
  before: LedgerEntry | undefined,
  changed: boolean,
): StoredSlice {
  context.keyCache.remember(learned.resolved, learned.latestReports);
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
      if (rejectedCount > 0) await replaceRejected(db, { orgKey, runId, slice }, rejected, true);
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
  return { orgKey, slice, tables: source.flatten.tables };
}
