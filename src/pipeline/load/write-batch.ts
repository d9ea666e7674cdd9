/** Writes slices of one source in one transaction. */
import { flattenOf } from '../../flatten/flatten.ts';
import type { FlatRows } from '../../flatten/pending-rows.ts';
import { createSliceContent, type SliceContent } from '../../flatten/slice-content.ts';
import { TooManyRejectedError } from '../../model/errors.ts';
import type { Slice, Source } from '../../model/source.ts';
import type { Session } from '../../warehouse/connection/connection.ts';
import { isUniqueViolation } from '../../warehouse/connection/database-error.ts';
import { transactOnce } from '../../warehouse/connection/reconnect.ts';
import type { TableComparison } from '../../warehouse/load/altered-figures.ts';
import type { DimensionKeys } from '../../warehouse/load/dimension-keys.ts';
import { beginWriting, type FinishedWrite, type SliceChunk } from '../../warehouse/load/write-slices.ts';
import type { Receipt } from '../receive/receipt.ts';
import { type FlatSlice, flattenChunks } from './flat-slice.ts';
import { findKeptKeys, keptUnlessReplaced } from './kept-keys.ts';
import { knownOf, type LoadContext } from './load-context.ts';
import { oneAhead } from './one-ahead.ts';
import { type LoadedSlice, recordBatch, type WritingSlice } from './record-batch.ts';

/**
 * Writes slices in one transaction. Repeats the transaction if the connection was lost. If a key came in two chunks of a
 * slice, repeats it with temporary tables. Throws `TooManyRejectedError` and errors of the database.
 */
export async function writeBatch(
  context: LoadContext,
  source: Source,
  batch: readonly FlatSlice[],
): Promise<LoadedSlice[]> {
  // Keys are resolved before the transaction, so that it is short.
  const ready = batch.every(({ flattened }) => flattened !== undefined)
    ? await chunksOfAll(context, source, batch)
    : undefined;
  const write = (stagesAll: boolean) =>
    transactOnce(context.pool, context.signal, (session) =>
      writeSlices(session, context, source, batch, ready, stagesAll),
    );
  try {
    return await write(false);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return write(true);
  }
}

async function chunksOfAll(
  { keys }: LoadContext,
  source: Source,
  batch: readonly FlatSlice[],
): Promise<SliceChunk[]> {
  const parts = batch.flatMap(({ receipt: { slice }, flattened }) =>
    flattened === undefined ? [] : [{ slice, flattened }],
  );
  return resolveChunks(keys, source, parts);
}

async function resolveChunks(
  keys: DimensionKeys,
  source: Source,
  parts: readonly { slice: Slice; flattened: FlatRows }[],
): Promise<SliceChunk[]> {
  const names = parts.map(({ slice, flattened }) => ({ ...flattened, usageDate: slice.usageDate }));
  const resolved = await keys.resolve(source.name, names);
  return parts.map((part, index) => ({ ...part, keys: resolved[index] ?? new Map() }));
}

async function writeSlices(
  session: Session,
  context: LoadContext,
  source: Source,
  batch: readonly FlatSlice[],
  ready: readonly SliceChunk[] | undefined,
  stagesAll: boolean,
): Promise<LoadedSlice[]> {
  const { writer, writing, kept } = await writeChunks(session, context, source, batch, ready, stagesAll);
  const finished = await writer.finish(kept);
  noteDuplicates(finished, writing);
  return recordBatch(session, context, source, writing, finished);
}

/** Compares a slice with the rows in the tables. Writes only into temporary tables. Throws as `writeBatch` does. */
export async function compareSlice(
  session: Session,
  context: LoadContext,
  source: Source,
  flat: FlatSlice,
  mostListed: number,
): Promise<readonly TableComparison[]> {
  const ready = flat.flattened === undefined ? undefined : await chunksOfAll(context, source, [flat]);
  const { writer, kept } = await writeChunks(session, context, source, [flat], ready, true);
  return writer.compare(kept, mostListed);
}

/** Gives all rows of slices to a writer. */
async function writeChunks(
  session: Session,
  context: LoadContext,
  source: Source,
  batch: readonly FlatSlice[],
  ready: readonly SliceChunk[] | undefined,
  stagesAll: boolean,
) {
  const { tables } = flattenOf(source);
  const target = { orgKey: context.orgKey, tables, slices: batch.map(({ receipt }) => receipt.slice) };
  // A slice without a ledger entry may shrink: a person may have removed the entry to load the slice again.
  const isGuarded = (slice: Slice) => !context.allowEmpty && knownOf(context, slice) !== undefined;
  const rules = {
    duplicates: source.duplicates,
    maxDeletedShare: (slice: Slice) => (isGuarded(slice) ? context.maxDeletedShare : undefined),
  };
  const writer = await beginWriting(session, target, rules, stagesAll);
  const writing = batch.map((flat): WritingSlice => {
    const content = flat.flattened === undefined ? createSliceContent(source, context.redact) : flat.content;
    return { flat, content, kept: flat.flattened?.kept ?? [] };
  });
  if (ready !== undefined) await writer.write(ready);
  else
    for (const each of writing) {
      const { flat, content } = each;
      for await (const chunk of oneAhead(chunksOfLarge(context, source, flat.receipt, content))) {
        const { flattened } = chunk;
        if (source.duplicates === 'last')
          each.kept = keptUnlessReplaced(each.kept, tables, flattened.rows[0]);
        each.kept = [...each.kept, ...flattened.kept];
        await writer.write([chunk]);
      }
      const reason = content.tooManyRejected(context.maxRejectedShare);
      if (reason !== undefined) throw new TooManyRejectedError(reason, content.rejected);
    }
  const kept = await findKeptKeys(
    context.keys,
    tables,
    writing.map((each) => ({ slice: each.flat.receipt.slice, kept: each.kept })),
  );
  return { writer, writing, kept };
}

/** The chunks of a large slice, with the surrogate keys of their names. */
async function* chunksOfLarge(
  context: LoadContext,
  source: Source,
  receipt: Receipt,
  content: SliceContent,
): AsyncGenerator<SliceChunk> {
  for await (const flattened of oneAhead(flattenChunks(receipt, content)))
    yield* await resolveChunks(context.keys, source, [{ slice: receipt.slice, flattened }]);
}

/** Adds the keys that came in several chunks as drift. Only a large slice has several chunks: it is alone in its batch. */
function noteDuplicates({ duplicates }: FinishedWrite, [only]: readonly WritingSlice[]): void {
  for (const [{ name }, occurrences] of duplicates)
    only?.content.note({
      path: name,
      kind: 'duplicate_key',
      example: 'in a later part of the answers',
      occurrences,
    });
}
