/** Writes everything about slices except their rows: archive, quarantine, drift, and ledger. */
import { flattenOf } from '../../flatten/flatten.ts';
import type { FlatRows } from '../../flatten/pending-rows.ts';
import type { SliceContent } from '../../flatten/slice-content.ts';
import type { CountedDrift } from '../../model/drift.ts';
import type { LoadOutcome } from '../../model/run.ts';
import type { Slice, Source } from '../../model/source.ts';
import { deleteRawSlices, storeRawSlices } from '../../warehouse/archive/raw-archive.ts';
import type { Session } from '../../warehouse/connection/connection.ts';
import { countDrift, replaceRejected } from '../../warehouse/ledger/quarantine.ts';
import { recordRefusal } from '../../warehouse/ledger/slice-failures.ts';
import type { ArchivedSize } from '../../warehouse/ledger/slice-ledger.ts';
import { recordLoaded, recordPending, type SliceOutcome } from '../../warehouse/ledger/slice-outcomes.ts';
import type { FinishedWrite, WrittenSlice } from '../../warehouse/load/write-slices.ts';
import type { FlatSlice } from './flat-slice.ts';
import { knownOf, type LoadContext, rowCountOf } from './load-context.ts';

/** The result of loading a slice. */
export interface LoadedSlice {
  readonly slice: Slice;
  readonly outcome: LoadOutcome;
  readonly rowsRead: number;
  readonly drift: readonly CountedDrift[];
}

/** A slice, with the counts and drift of its records in this attempt. */
export interface WritingSlice {
  readonly flat: FlatSlice;
  readonly content: SliceContent;
  kept: FlatRows['kept'];
}

/**
 * Records the results of slices in the transaction that wrote their rows: archives accepted answers, stores rejected
 * records, and writes the ledger. Returns the results to report.
 */
export async function recordBatch(
  { db }: Session,
  context: LoadContext,
  source: Source,
  writing: readonly WritingSlice[],
  { written }: FinishedWrite,
): Promise<LoadedSlice[]> {
  const { orgKey, runId } = context;
  const { tables } = flattenOf(source);
  const outcomes = writing.flatMap((each) => {
    const result = written.get(each.flat.receipt.slice);
    return result === undefined ? [] : [{ ...each, slice: each.flat.receipt.slice, result }];
  });
  const refused = outcomes.filter(({ result }) => result.refused !== undefined);
  const accepted = outcomes.filter(({ result }) => result.refused === undefined);
  const archived = new Map<unknown, ArchivedSize>();
  if (context.archives !== undefined) {
    await deleteRawSlices(
      db,
      orgKey,
      accepted.map(({ slice }) => slice),
    );
    const kept = context.archives ? accepted : [];
    const toStore = kept.map(({ slice, flat: { receipt } }) => ({
      slice,
      chunks: receipt.compressedChunks(),
      isRewritten: receipt.isRewritten,
    }));
    const stored = await storeRawSlices(db, orgKey, runId, !context.withholdsEmails, toStore);
    for (const [slice, size] of stored) archived.set(slice, size);
  }
  await replaceRejected(
    db,
    orgKey,
    runId,
    accepted.map(({ slice, content }) => ({ slice, rejected: content.rejected.kept })),
  );
  const shrunk = refused.map(
    ({ slice }) => ({ path: 'data', kind: 'shrunk', example: slice.key, occurrences: 1 }) as const,
  );
  const drift = [...accepted.flatMap(({ content }) => content.drift), ...shrunk];
  if (drift.length > 0) await countDrift(db, orgKey, runId, source.name, drift);
  for (const { slice, result } of refused) {
    const { refused: refusal, tableRows } = result;
    const held = { rowCount: rowCountOf(tables, tableRows), tableRows };
    await recordRefusal(db, orgKey, slice, { runId, error: refusal?.reason ?? '', held });
  }
  const loaded = accepted.filter((each) => stateOf(source, each) !== 'pending');
  const emptied = accepted.filter((each) => !loaded.includes(each)).map(({ slice }) => slice);
  await recordPending(db, orgKey, runId, emptied, 'removed');
  await recordLoaded(
    db,
    orgKey,
    runId,
    loaded.map((each) => ({
      slice: each.slice,
      outcome: ledgerOutcome(context, source, each, archived.get(each.slice)),
    })),
  );
  return outcomes.map((each) => {
    const { slice, content, result } = each;
    const { inserted, updated, deleted, refused: why } = result;
    const state = stateOf(source, each);
    const ofAccepted = state === 'loaded' && !isNews(context, slice, result) ? 'unchanged' : state;
    return {
      slice,
      outcome: {
        result: why === undefined ? ofAccepted : 'refused',
        inserted,
        updated,
        deleted,
        rejected: why === undefined ? content.rejected.count : 0,
        refused: why,
      },
      rowsRead: content.read,
      drift: content.drift,
    };
  });
}

/** A slice that was written. */
interface Outcome extends WritingSlice {
  readonly slice: Slice;
  readonly result: WrittenSlice;
}

/**
 * The new status of a slice. After an answer without records it is `pending` if the source doubts such answers; otherwise
 * it is `empty` if the tables hold no rows of it.
 */
function stateOf({ partitioning }: Source, { flat, result }: Outcome): 'loaded' | 'empty' | 'pending' {
  if (flat.receipt.records > 0) return 'loaded';
  if (partitioning.withoutRecords === 'doubted') return 'pending';
  return Object.values(result.tableRows).every((rows) => rows === 0) ? 'empty' : 'loaded';
}

function ledgerOutcome(
  context: LoadContext,
  source: Source,
  written: Outcome,
  archived: ArchivedSize = { chunks: 0, rows: 0 },
): SliceOutcome {
  const { slice, flat, content, result } = written;
  return {
    status: stateOf(source, written) === 'empty' ? 'empty' : 'loaded',
    // With rejected records or drift no digest is stored, so that the next run flattens and counts the slice again.
    sourceHash: content.rejected.count + content.drift.length > 0 ? null : flat.receipt.sourceHash,
    rowCount: rowCountOf(flattenOf(source).tables, result.tableRows),
    tableRows: result.tableRows,
    rejectedCount: content.rejected.count,
    // Also true if the ledger did not know the stored rows: then it is not known when they were loaded.
    changed: isNews(context, slice, result),
    archived: context.archives === undefined ? undefined : archived,
  };
}

function isNews(
  context: LoadContext,
  slice: Slice,
  { inserted, updated, deleted, tableRows }: WrittenSlice,
): boolean {
  const holdsRows = Object.values(tableRows).some((rows) => rows > 0);
  return inserted + updated + deleted > 0 || (holdsRows && knownOf(context, slice)?.status !== 'loaded');
}
