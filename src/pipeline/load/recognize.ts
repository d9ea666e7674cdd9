/** Recognizes slices whose records or content are as they were: by one statement, without comparing rows. */
import { flattenOf } from '../../flatten/flatten.ts';
import type { LoadOutcome } from '../../model/run.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { recordUnchanged } from '../../warehouse/ledger/slice-outcomes.ts';
import type { Receipt } from '../receive/receipt.ts';
import { knownOf, type LoadContext, rowCountOf } from './load-context.ts';

/** What came of a slice that is as it was. */
export const unchanged: LoadOutcome = {
  result: 'unchanged',
  inserted: 0,
  updated: 0,
  deleted: 0,
  rejected: 0,
  refused: undefined,
};

/** Whether the records of a slice are the same bytes as last time, and were flattened by the same code. */
export function isRecognized(context: LoadContext, { slice, sourceHash }: Receipt): boolean {
  const before = knownOf(context, slice);
  if (context.force || before?.status !== 'loaded' || before.lastFailed) return false;
  return before.sourceHash?.equals(sourceHash) === true;
}

/** Whether the content of a slice is the same as last time, in any order. */
export function hasKnownContent(
  context: LoadContext,
  { slice }: Receipt,
  contentHash: Buffer | undefined,
): boolean {
  const before = knownOf(context, slice);
  if (context.force || before?.status !== 'loaded' || before.lastFailed) return false;
  return contentHash !== undefined && before.contentHash?.equals(contentHash) === true;
}

/**
 * Records slices of one source that are as they were, and reports them. Returns those that must be loaded all the same:
 * the tables hold another number of rows than the ledger says.
 */
export async function recordRecognized(
  context: LoadContext,
  same: readonly Receipt[],
): Promise<readonly Receipt[]> {
  const [first] = same;
  if (first === undefined) return [];
  const { pool, orgKey, runId, signal, onEvent } = context;
  const { tables } = flattenOf(first.source);
  const recorded = await retryOnConnectionLoss(signal, () =>
    withSession(pool, (session) => recordUnchanged(session, orgKey, runId, same, tables)),
  );
  for (const { slice } of same) {
    if (!recorded.has(slice.key)) continue;
    // Nothing of a known slice was rejected, and no key came twice: each record became one row.
    const rowsRead = rowCountOf(tables, knownOf(context, slice)?.tableRows ?? {});
    onEvent({ type: 'slice-done', slice, outcome: unchanged, rowsRead, drift: [] });
  }
  return same.filter(({ slice }) => !recorded.has(slice.key));
}
