/** Settles slices without touching a fact: what came is what is there, or nothing came. */
import { flattenOf } from '../flatten/flatten.ts';
import type { RowChanges, StoredSlice } from '../model/run.ts';
import { deleteRawSlice } from '../warehouse/archive/raw-archive.ts';
import { withSession, withTransaction } from '../warehouse/connection/connection.ts';
import { countDrift, replaceRejected } from '../warehouse/ledger/quarantine.ts';
import { type LedgerEntry, recordOutcome, recordUnchanged } from '../warehouse/ledger/slice-ledger.ts';
import { countStoredRows } from '../warehouse/load/slice-target.ts';
import type { GatheredSlice } from './gathered-slice.ts';
import type { StoreContext } from './store-context.ts';

const noChanges: RowChanges = { inserted: 0, updated: 0, deleted: 0 };

/** What came of a slice that is as it was. */
export const unchanged: StoredSlice = {
  ...noChanges,
  result: 'unchanged',
  rejected: 0,
  keptDespiteEmpty: false,
};

/** Settles a slice without touching a fact: it is as it was, or the platform reports nothing for it. */
export async function settleSlice(
  context: StoreContext,
  gathered: GatheredSlice,
  before: LedgerEntry | undefined,
): Promise<StoredSlice | undefined> {
  if (gathered.read === 0) {
    const stored = await countStored(context, gathered);
    return hasRows(stored) && context.allowEmpty ? undefined : settleEmpty(context, gathered, before, stored);
  }
  // After a failure there may be rejected rows, which are not to be left behind.
  if (!context.skipUnchanged || before === undefined || before.status === 'failed') return undefined;
  if (!hasRows(before.tableRows)) return undefined;
  if (!gathered.isRecognized() && !hasSameContent(gathered, before)) return undefined;
  const [settled] = await settleUnchanged(context, [gathered]);
  return settled === undefined ? undefined : unchanged;
}

/**
 * Settles slices of one source whose content is that of the ledger, with one statement. Returns those of which the
 * tables hold as many rows as the ledger says.
 */
export async function settleUnchanged(
  { pool, orgKey, runId, settling }: StoreContext,
  same: readonly GatheredSlice[],
): Promise<GatheredSlice[]> {
  const [first] = same;
  if (first === undefined) return [];
  const { source } = first;
  // One page may be known by its content only; where many are recognized, the hash is the one that is recorded.
  const sourceHash = first.isRecognized() ? undefined : (first.sourceHash() ?? null);
  const details = {
    runId,
    holding: flattenOf(source).tables,
    ...(sourceHash === undefined ? {} : { sourceHash }),
  };
  const slices = same.map((gathered) => gathered.slice);
  const keys = await settling.add(() =>
    withSession(pool, (session) => recordUnchanged(session, orgKey, slices, details)),
  );
  return same.filter((gathered) => keys.has(gathered.slice.key));
}

/** The same content in other bytes, such as another order. With drift there is more in it, which is to be archived. */
function hasSameContent({ content }: GatheredSlice, { contentHash }: LedgerEntry): boolean {
  return (
    contentHash !== null && content.drift.length === 0 && content.contentHash()?.equals(contentHash) === true
  );
}

/** Rows of the slice that the tables hold, whatever the ledger says: somebody may have removed it from there. */
function countStored({ pool, orgKey }: StoreContext, { slice, source }: GatheredSlice) {
  const { tables } = flattenOf(source);
  return withSession(pool, (session) => countStoredRows(session, { orgKey, slice, tables }));
}

const hasRows = (tableRows: Readonly<Record<string, number>>) =>
  Object.values(tableRows).some((count) => count > 0);

/** `stored`: rows that the tables hold of it. They stay, and what the ledger says of them. */
async function settleEmpty(
  context: StoreContext,
  { slice, source }: GatheredSlice,
  before: LedgerEntry | undefined,
  stored: Readonly<Record<string, number>>,
): Promise<StoredSlice> {
  const { orgKey, runId } = context;
  const keeps = hasRows(stored);
  return withTransaction(context.pool, async (session) => {
    const { db } = session;
    if (keeps)
      await countDrift(db, { orgKey, runId, slice }, [
        { path: 'data', kind: 'emptied_slice', example: slice.key, occurrences: 1 },
      ]);
    if (keeps && before !== undefined && hasRows(before.tableRows)) {
      await recordUnchanged(session, orgKey, [slice], { runId });
      return { ...noChanges, result: 'empty', rejected: 0, keptDespiteEmpty: true };
    }
    if (!keeps && context.replacesArchive) await deleteRawSlice(db, orgKey, slice);
    await replaceRejected(db, { orgKey, runId, slice }, []);
    const empty = slice.usageDate === context.yesterday ? 'pending' : 'empty';
    await recordOutcome(db, orgKey, slice, {
      runId,
      status: keeps ? 'loaded' : empty,
      contentHash: null,
      sourceHash: null,
      rowCount: stored[flattenOf(source).tables[0]?.name ?? ''] ?? 0,
      tableRows: keeps ? stored : {},
      rejectedCount: 0,
      changed: keeps,
    });
    return { ...noChanges, result: keeps ? 'empty' : empty, rejected: 0, keptDespiteEmpty: keeps };
  });
}
