/** One transaction: the rows of slices of one source, their archive, what was rejected, and their ledger rows. */
import { flattenOf } from '../../flatten/flatten.ts';
import type { Batch } from '../../flatten/pending-rows.ts';
import { createSliceContent, type SliceContent } from '../../flatten/slice-content.ts';
import type { CountedDrift } from '../../model/drift.ts';
import { TooManyRejectedError } from '../../model/errors.ts';
import type { LoadOutcome } from '../../model/run.ts';
import type { Slice, Source } from '../../model/source.ts';
import { deleteRawSlices, storeRawSlices } from '../../warehouse/archive/raw-archive.ts';
import { isUniqueViolation, type Session } from '../../warehouse/connection/connection.ts';
import { transactOnce } from '../../warehouse/connection/reconnect.ts';
import { countDrift, replaceRejected } from '../../warehouse/ledger/quarantine.ts';
import type { ArchivedSize } from '../../warehouse/ledger/slice-ledger.ts';
import {
  recordFailure,
  recordLoaded,
  recordPending,
  type SliceOutcome,
} from '../../warehouse/ledger/slice-outcomes.ts';
import type { DimensionKeys } from '../../warehouse/load/dimension-keys.ts';
import {
  beginWriting,
  type FinishedWrite,
  type Portion,
  type WrittenSlice,
} from '../../warehouse/load/write-slices.ts';
import { type FlatSlice, flattenPortions } from './flat-slice.ts';
import { keptKeys, keptUnlessReplaced } from './kept-keys.ts';
import { knownOf, type LoadContext, rowCountOf } from './load-context.ts';

/** What came of a slice. */
export interface LoadedSlice {
  readonly slice: Slice;
  readonly outcome: LoadOutcome;
  readonly rowsRead: number;
  readonly drift: readonly CountedDrift[];
}

/** A slice with what was found in its records in this attempt. */
interface WritingSlice {
  readonly flat: FlatSlice;
  readonly content: SliceContent;
  kept: Batch['kept'];
}

/**
 * Writes slices in one transaction. Repeats it when the connection was lost. Repeats it through temporary tables when a
 * key came in two portions of a slice. Throws `TooManyRejectedError`, and what the database throws.
 */
export async function writeList(
  context: LoadContext,
  source: Source,
  list: readonly FlatSlice[],
): Promise<LoadedSlice[]> {
  // Found and made before the transaction, so that it is short.
  const ready = list.every(({ batch }) => batch !== undefined)
    ? await portionsOfAll(context, source, list)
    : undefined;
  const write = (stagesAll: boolean) =>
    transactOnce(context.pool, context.signal, (session) =>
      writeSlices(session, context, source, list, ready, stagesAll),
    );
  try {
    return await write(false);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return write(true);
  }
}

async function portionsOfAll(
  { keys }: LoadContext,
  source: Source,
  list: readonly FlatSlice[],
): Promise<Portion[]> {
  const parts = list.flatMap(({ receipt: { slice }, batch }) =>
    batch === undefined ? [] : [{ slice, batch }],
  );
  return resolvePortions(keys, source, parts);
}

async function resolvePortions(
  keys: DimensionKeys,
  source: Source,
  parts: readonly { slice: Slice; batch: Batch }[],
): Promise<Portion[]> {
  const names = parts.map(({ slice, batch }) => ({ ...batch, usageDate: slice.usageDate }));
  const resolved = await keys.resolve(source.name, names);
  return parts.map((part, index) => ({ ...part, keys: resolved[index] ?? new Map() }));
}

async function writeSlices(
  session: Session,
  context: LoadContext,
  source: Source,
  list: readonly FlatSlice[],
  ready: readonly Portion[] | undefined,
  stagesAll: boolean,
): Promise<LoadedSlice[]> {
  const { tables } = flattenOf(source);
  const target = { orgKey: context.orgKey, tables, slices: list.map(({ receipt }) => receipt.slice) };
  // Somebody may have removed the ledger row to have the slice loaded anew.
  const isGuarded = (slice: Slice) => !context.allowEmpty && knownOf(context, slice) !== undefined;
  const rules = {
    duplicates: source.duplicates,
    maxDeletedShare: (slice: Slice) => (isGuarded(slice) ? context.maxDeletedShare : undefined),
  };
  const writer = await beginWriting(session, target, rules, stagesAll);
  const writing = list.map((flat): WritingSlice => {
    const content = flat.batch === undefined ? createSliceContent(source, context.redact) : flat.content;
    return { flat, content, kept: flat.batch?.kept ?? [] };
  });
  if (ready !== undefined) await writer.write(ready);
  else
    for (const each of writing) {
      const { flat, content } = each;
      for await (const batch of flattenPortions(flat.receipt, content)) {
        if (source.duplicates === 'last') each.kept = keptUnlessReplaced(each.kept, tables, batch.rows[0]);
        each.kept = [...each.kept, ...batch.kept];
        await writer.write(
          await resolvePortions(context.keys, source, [{ slice: flat.receipt.slice, batch }]),
        );
      }
      const reason = content.tooManyRejected(context.maxRejectedShare);
      if (reason !== undefined) throw new TooManyRejectedError(reason, content.rejected);
    }
  const finished = await writer.finish(
    await keptKeys(
      context.keys,
      tables,
      writing.map(({ flat, kept }) => ({ slice: flat.receipt.slice, kept })),
    ),
  );
  noteTwins(finished, writing);
  return record(session, context, source, writing, finished);
}

/** Only a large slice comes in portions, and it is alone in its list. */
function noteTwins({ twins }: FinishedWrite, [only]: readonly WritingSlice[]): void {
  for (const [{ name }, occurrences] of twins)
    only?.content.note({
      path: name,
      kind: 'duplicate_key',
      example: 'in a later part of the answers',
      occurrences,
    });
}

async function record(
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
    const toStore = kept.map(({ slice, flat }) => ({ slice, chunks: flat.receipt.chunks() }));
    for (const [slice, size] of await storeRawSlices(db, orgKey, runId, toStore)) archived.set(slice, size);
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
    const { refused: error = '', tableRows } = result;
    const held = { rowCount: rowCountOf(tables, tableRows), tableRows };
    await recordFailure(db, orgKey, slice, { runId, error, rejectedCount: undefined, held });
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
        result: why === undefined ? ofAccepted : 'unchanged',
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

/** What the ledger says of a slice from now on. Where nothing is held, an answer without records is believed or not. */
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
    contentHash: content.contentHash() ?? null,
    // Without a hash the slice is flattened again next time, so that what was rejected or drifted is counted again.
    sourceHash: content.rejected.count + content.drift.length > 0 ? null : flat.receipt.sourceHash,
    rowCount: rowCountOf(flattenOf(source).tables, result.tableRows),
    tableRows: result.tableRows,
    rejectedCount: content.rejected.count,
    // Also true of rows that the ledger did not know: nobody knows since when they were there.
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
