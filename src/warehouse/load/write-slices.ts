/**
 * Writes the rows of slices, in the caller's transaction. If the tables hold no rows of a slice, its rows go straight
 * into the facts. Otherwise they go to temporary tables first, and only differences are written: vanished rows are
 * deleted, changed rows updated, new rows inserted. Equal rows keep their `loaded_at`.
 */
import type { FlatRows } from '../../flatten/pending-rows.ts';
import { copyText } from '../../flatten/row-text.ts';
import type { Refusal, RowChanges, ShrunkTable } from '../../model/run.ts';
import type { Duplicates, Slice } from '../../model/source.ts';
import { isReference, namedColumns, type StoredTable } from '../../model/table.ts';
import type { Session } from '../connection/connection.ts';
import { compareFigures, type TableComparison } from './altered-figures.ts';
import { copyRows, linesOf } from './copy.ts';
import { countDifferences, type Difference, type KeptKeys, writeDifferences } from './difference.ts';
import type { KeysOfNames } from './dimension-keys.ts';
import {
  countHeld,
  factName,
  type LoadTarget,
  loadedColumns,
  scopeColumnsOf,
  scopeTextOf,
} from './slice-target.ts';
import {
  analyzeStaged,
  chunkColumn,
  createStaging,
  neverCompareEachWithEach,
  resolveDuplicates,
  stagedName,
  unstage,
} from './staging.ts';

/** All rows of a slice, or a chunk of them. */
export interface SliceChunk {
  readonly slice: Slice;
  readonly flattened: FlatRows;
  readonly keys: KeysOfNames;
}

/** The result for a slice. */
export interface WrittenSlice extends RowChanges {
  /** The rows of the slice that each table holds now. */
  readonly tableRows: Readonly<Record<string, number>>;
  /** Why nothing of the slice was written; undefined if it was written. */
  readonly refused: Refusal | undefined;
}

/** The rules for keys that come twice, and for rows that the answer no longer has. */
export interface WritingRules {
  /** The rule for a key that comes in several chunks. */
  readonly duplicates: Duplicates;
  /** The share of a slice's rows that a table may lose (deleted minus new rows), 0 to 1; undefined: all. */
  readonly maxDeletedShare: (slice: Slice) => number | undefined;
}

/** A loss of fewer rows is always accepted. */
const fewDeleted = 20;

/** Writes the rows of slices. Call `write` for all chunks, then `finish` or `compare`. */
export interface SliceWriter {
  /** Writes chunks, with one `COPY` per table. */
  write(chunks: readonly SliceChunk[]): Promise<void>;
  /** Makes the tables hold exactly the written rows, and the rows that stay (`kept`, by table). */
  finish(kept: ReadonlyMap<StoredTable, readonly KeptKeys[]>): Promise<FinishedWrite>;
  /** Returns what `finish` would change in each table, and changes nothing. Needs `stagesAll`. */
  compare(
    kept: ReadonlyMap<StoredTable, readonly KeptKeys[]>,
    mostListed: number,
  ): Promise<readonly TableComparison[]>;
}

/** The results of a write. */
export interface FinishedWrite {
  readonly written: ReadonlyMap<Slice, WrittenSlice>;
  readonly duplicates: ReadonlyMap<StoredTable, number>;
}

/** Begins to write slices. With `stagesAll`, the rows of new slices go through temporary tables, too. */
export async function beginWriting(
  session: Session,
  target: LoadTarget,
  rules: WritingRules,
  stagesAll: boolean,
): Promise<SliceWriter> {
  const { db } = session;
  const { orgKey, tables, slices } = target;
  const scopeColumns = scopeColumnsOf(target);
  const held = stagesAll ? undefined : await countHeld(session, target);
  const isStaged = (slice: Slice) => held === undefined || held.has(scopeTextOf(slice));
  const stagedSlices = slices.filter(isStaged);
  if (stagedSlices.length > 0) for (const table of tables) await createStaging(db, table, scopeColumns);
  const stagedRows = new Map(tables.map((table) => [table, 0]));
  const directRows = new Map(slices.map((slice) => [slice, new Map(tables.map((table) => [table, 0]))]));
  let writeNumber = 0;

  async function copy(table: StoredTable, index: number, chunks: readonly SliceChunk[], toStaging: boolean) {
    const parts = chunks.filter(({ flattened }) => (flattened.rows[index]?.length ?? 0) > 0);
    if (parts.length === 0) return;
    for (const { slice, flattened } of parts) {
      const counts = toStaging ? stagedRows : directRows.get(slice);
      counts?.set(table, (counts.get(table) ?? 0) + (flattened.rows[index]?.length ?? 0));
    }
    const columns = loadedColumns(table, scopeColumns);
    const place = toStaging ? stagedName(table) : factName(table);
    const names = (toStaging ? [chunkColumn, ...columns] : columns).map((column) => `"${column}"`);
    const prefix = toStaging ? `${writeNumber},` : '';
    await copyRows(session, `${place} (${names.join(', ')})`, lines(table, index, parts, prefix));
  }

  function* lines(table: StoredTable, index: number, parts: readonly SliceChunk[], prefix: string) {
    for (const { slice, flattened, keys } of parts) {
      const rows = flattened.rows[index];
      const shared = prefix + [orgKey, ...Object.values(slice.scope).map(copyText)].join(',');
      const surrogates = namedColumns(table).map((column) =>
        isReference(column) ? (keys.get(column.dimension) ?? new Int32Array()) : undefined,
      );
      if (rows !== undefined) yield* linesOf(rows, shared, surrogates);
    }
  }

  function writtenDirectly(slice: Slice): WrittenSlice {
    const counts = [...(directRows.get(slice) ?? [])].map(([table, rows]) => [table.name, rows] as const);
    const inserted = counts.reduce((sum, [, rows]) => sum + rows, 0);
    return { inserted, updated: 0, deleted: 0, tableRows: Object.fromEntries(counts), refused: undefined };
  }

  /** Leaves one staged row for each key; returns the number of repeated keys, by table. */
  async function unifyStaged(): Promise<ReadonlyMap<StoredTable, number>> {
    if (stagedSlices.length === 0) return new Map();
    await neverCompareEachWithEach(db);
    if (writeNumber <= 1) return new Map();
    return resolveDuplicates(db, { ...target, slices: stagedSlices }, rules.duplicates);
  }

  async function merge(kept: ReadonlyMap<StoredTable, readonly KeptKeys[]>) {
    const ofStaged = { ...target, slices: stagedSlices };
    const differences = new Map<StoredTable, ReadonlyMap<string, Difference>>();
    for (const table of tables) {
      await analyzeStaged(db, ofStaged, table, stagedRows.get(table) ?? 0);
      differences.set(table, await countDifferences(db, ofStaged, table, kept.get(table) ?? []));
    }
    const of = (slice: Slice, table: StoredTable) =>
      differences.get(table)?.get(scopeTextOf(slice)) ?? noDifference;
    const outcome = stagedSlices.map((slice) => {
      const maxShare = rules.maxDeletedShare(slice);
      const refused = maxShare === undefined ? undefined : refusalOf(slice, maxShare);
      const tableRows = tables.map((table) => {
        const difference = of(slice, table);
        return [table.name, refused === undefined ? heldAfter(difference) : difference.held] as const;
      });
      const changes = refused === undefined ? added(tables.map((table) => of(slice, table))) : noDifference;
      const { inserted, updated, deleted } = changes;
      return [
        slice,
        { inserted, updated, deleted, tableRows: Object.fromEntries(tableRows), refused },
      ] as const;
    });

    /** The refusal if tables would lose too many rows. New rows offset deleted ones; flagged rows are not lost. */
    function refusalOf(slice: Slice, maxShare: number): Refusal | undefined {
      const shrunk = tables.flatMap((table) => {
        const difference = of(slice, table);
        const { held } = difference;
        const wouldHold = heldAfter(difference);
        const lost = held - wouldHold;
        return lost >= fewDeleted && lost > maxShare * held ? [{ table: table.name, held, wouldHold }] : [];
      });
      return shrunk.length === 0 ? undefined : { reason: shrinkageInWords(shrunk), tables: shrunk };
    }

    const refused = outcome.flatMap(([slice, { refused: why }]) => (why === undefined ? [] : [slice]));
    for (const slice of refused) await unstage(db, target, slice);
    const accepted = { ...target, slices: stagedSlices.filter((slice) => !refused.includes(slice)) };
    for (const table of tables) {
      const changes = added(accepted.slices.map((slice) => of(slice, table)));
      if (changes.inserted + changes.updated + changes.vanished > 0)
        await writeDifferences(db, accepted, table, kept.get(table) ?? [], changes);
    }
    return outcome;
  }

  return {
    async write(chunks) {
      writeNumber += 1;
      const [staged, direct] = [true, false].map((toStaging) =>
        chunks.filter(({ slice }) => isStaged(slice) === toStaging),
      );
      for (const [index, table] of tables.entries()) {
        await copy(table, index, staged ?? [], true);
        await copy(table, index, direct ?? [], false);
      }
    },
    async compare(kept, mostListed) {
      await unifyStaged();
      const compared: TableComparison[] = [];
      for (const table of tables) {
        await analyzeStaged(db, target, table, stagedRows.get(table) ?? 0);
        compared.push(await compareFigures(db, target, table, kept.get(table) ?? [], mostListed));
      }
      return compared;
    },
    async finish(kept) {
      const duplicates = await unifyStaged();
      const merged = stagedSlices.length > 0 ? await merge(kept) : [];
      const direct = slices.filter((slice) => !isStaged(slice));
      return {
        written: new Map([...merged, ...direct.map((slice) => [slice, writtenDirectly(slice)] as const)]),
        duplicates,
      };
    },
  };
}

function shrinkageInWords(shrunk: readonly ShrunkTable[]): string {
  const tables = shrunk.map(
    ({ table, held, wouldHold }) => `${held - wouldHold} of the ${held} rows of ${table}`,
  );
  return `the answer would delete ${tables.join(' and ')} without replacing them, more than MAX_DELETED_SHARE allows; they were kept`;
}

/** The rows that a table holds after the changes. */
function heldAfter({ held, inserted, deleted }: Difference): number {
  return held + inserted - deleted;
}

const noDifference: Difference = { held: 0, inserted: 0, updated: 0, deleted: 0, vanished: 0 };

function added(differences: readonly Difference[]): Difference {
  return differences.reduce(
    (sum, { held, inserted, updated, deleted, vanished }) => ({
      held: sum.held + held,
      inserted: sum.inserted + inserted,
      updated: sum.updated + updated,
      deleted: sum.deleted + deleted,
      vanished: sum.vanished + vanished,
    }),
    noDifference,
  );
}
