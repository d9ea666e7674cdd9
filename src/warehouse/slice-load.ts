/**
 * Replaces the rows of one slice, within the transaction of the caller. A table that holds nothing of the slice
 * yet is copied into directly. Otherwise rows go to a temporary table first, and only what differs is written:
 * rows that vanished are deleted, changed ones updated, new ones inserted. Equal rows keep their `loaded_at`.
 */
import { sql } from 'kysely';
import { noName } from '../model/packed-rows.ts';
import type { Batch } from '../model/pending-rows.ts';
import type { RowChanges } from '../model/run.ts';
import { type Dimension, referencesOf, type TableDefinition } from '../model/table.ts';
import type { Session } from './connection.ts';
import { copyRows, linesOf } from './copy.ts';
import { type KeyCache, type LatestReports, type ResolvedKeys, resolveKeys } from './dimension-keys.ts';
import { createKeySet } from './key-set.ts';
import { refreshLatestAttributes } from './latest-attribute.ts';
import { inSlice, loadedColumns, type SliceTarget } from './slice-target.ts';
import { mergeStaged, stagingTable } from './staging.ts';

/** What `finish` reports. */
export interface LoadedSlice extends RowChanges {
  /** Rows of the slice that each table holds now. */
  readonly tableRows: Readonly<Record<string, number>>;
  /** What this transaction learned of dimensions; to be remembered once it is committed. */
  readonly learned: { readonly resolved: ResolvedKeys; readonly latestReports: LatestReports };
}

/** A load under way. */
export interface SliceLoad {
  /**
   * Adds rows; may be called many times, so that a slice of any size needs little memory. A row whose first key an
   * earlier call wrote replaces what that call wrote for it; returns how often that was so.
   */
  write(batch: Batch): Promise<number>;
  /** Makes the tables hold exactly what was written, apart from rows that are to be kept. */
  finish(): Promise<LoadedSlice>;
}

/** Begins to replace a slice of which the tables hold `stored` rows. */
export function beginSliceLoad(
  session: Session,
  target: SliceTarget,
  stored: Readonly<Record<string, number>>,
  cache: KeyCache,
): SliceLoad {
  const { orgKey, slice, tables } = target;
  const resolved: ResolvedKeys = new Map();
  const keysWritten = createKeySet();
  const latestReports: LatestReports = new Map();
  const states = tables.map((table) => ({
    table,
    staged: (stored[table.name] ?? 0) > 0,
    stagingReady: false,
    written: 0,
    kept: [] as number[][],
  }));
  const linePrefix = [orgKey, ...Object.values(slice.scope)].join(',');
  const scopeColumns = Object.keys(slice.scope);

  async function write(batch: Batch): Promise<number> {
    // Between batches nothing but the cache is remembered, or a slice would hold all its keys in memory.
    resolved.clear();
    latestReports.clear();
    const keys = await resolveBatch(batch);
    const replaced = await removeReplaced(batch, keys);
    for (const [index, state] of states.entries()) {
      const rows = batch.rows[index];
      if (rows === undefined || rows.length === 0) continue;
      if (state.staged && !state.stagingReady) {
        await stagingTable(session.db, state.table, scopeColumns);
        state.stagingReady = true;
      }
      await copyRows(
        session,
        copyTarget(state.table, state.staged, scopeColumns),
        linesOf(rows, linePrefix, keysOf(state.table, keys)),
      );
      state.written += rows.length;
    }
    for (const { table, leadingKeys } of batch.kept) {
      const state = states[table];
      const dimensions = state?.table.keys.map(({ dimension }) => dimension) ?? [];
      state?.kept.push(
        dimensions
          .slice(0, leadingKeys.length)
          .map((dimension, position) => surrogate(dimension, leadingKeys[position] ?? '')),
      );
    }
    if (slice.usageDate !== null) await followReports(batch, slice.usageDate);
    return replaced;
  }

  async function followReports({ observations }: Batch, usageDate: string): Promise<void> {
    const { db } = session;
    const reports = await refreshLatestAttributes(
      db,
      observations,
      resolved,
      cache,
      usageDate,
      slice.endpoint,
    );
    for (const [dimension, added] of reports)
      latestReports.set(dimension, new Map([...(latestReports.get(dimension) ?? []), ...added]));
  }

  /**
   * Finds or makes the keys of all names of a batch; returns them in the order of the names. Dimensions in the order of their names, for the same reason as
   * the keys within one: no transaction waits in a circle.
   */
  async function resolveBatch({ rows }: Batch): Promise<KeysOfNames> {
    const wanted = new Map<Dimension, readonly string[]>();
    tables.forEach((table, index) => {
      referencesOf(table).forEach(({ dimension }, position) => {
        wanted.set(dimension, rows[index]?.names[position] ?? []);
      });
    });
    const inOrder = [...wanted].sort(([a], [b]) => (a.table < b.table ? -1 : 1));
    const found = new Map<Dimension, Int32Array>();
    for (const [dimension, names] of inOrder) {
      await resolveKeys(session.db, orgKey, dimension, names, cache, resolved);
      const keys = new Int32Array(names.length);
      for (let name = 0; name < names.length; name++) keys[name] = surrogate(dimension, names[name] ?? '');
      found.set(dimension, keys);
    }
    return found;
  }

  function surrogate(dimension: Dimension, naturalKey: string): number {
    const key = resolved.get(dimension)?.get(naturalKey);
    if (key === undefined)
      throw new TypeError(`${dimension.table}: no key was resolved for ${JSON.stringify(naturalKey)}`);
    return key;
  }

  /** Deletes what earlier batches wrote for first keys that come again; returns how many there are. */
  async function removeReplaced({ rows }: Batch, keys: KeysOfNames): Promise<number> {
    const [mainTable] = tables;
    if (mainTable === undefined || mainTable.keys.length === 0) return 0;
    const [mainRows] = rows;
    if (mainRows === undefined) return 0;
    const [surrogates] = keysOf(mainTable, keys);
    const again: number[] = [];
    for (let row = 0; row < mainRows.length; row++) {
      const key = surrogates?.[mainRows.keys[row * mainRows.names.length] ?? noName] ?? 0;
      if (!keysWritten.add(key)) again.push(key);
    }
    if (again.length === 0) return 0;
    for (const state of states) {
      const [reference] = state.table.keys;
      if (reference === undefined || state.written === 0) continue;
      const from = state.staged ? `pg_temp.staged_${state.table.name}` : `warehouse.${state.table.name}`;
      const { numAffectedRows } = await sql`
        delete from ${sql.table(from)} as f
        where ${inSlice(target)} and f.${sql.ref(reference.column)} = any(${again}::integer[])
      `.execute(session.db);
      state.written -= Number(numAffectedRows ?? 0);
    }
    return again.length;
  }

  async function finish(): Promise<LoadedSlice> {
    const changes: RowChanges = { inserted: 0, updated: 0, deleted: 0 };
    const tableRows: Record<string, number> = {};
    for (const state of states) {
      const { table } = state;
      const keepsAll = state.kept.some((leadingKeys) => leadingKeys.length === 0);
      if (!state.staged) {
        changes.inserted += state.written;
        tableRows[table.name] = state.written;
      } else if (keepsAll) {
        tableRows[table.name] = stored[table.name] ?? 0;
      } else {
        if (!state.stagingReady) await stagingTable(session.db, table, scopeColumns);
        const merged = await mergeStaged(session.db, target, table, state.written, state.kept);
        changes.inserted += merged.inserted;
        changes.updated += merged.updated;
        changes.deleted += merged.deleted;
        tableRows[table.name] = (stored[table.name] ?? 0) + merged.inserted - merged.deleted;
      }
    }
    return { ...changes, tableRows, learned: { resolved, latestReports } };
  }

  return { write, finish };
}

/** The surrogate key of each name of a batch, per dimension. */
type KeysOfNames = ReadonlyMap<Dimension, Int32Array>;

/** The same per reference of a table. */
function keysOf(table: TableDefinition, keys: KeysOfNames): Int32Array[] {
  return referencesOf(table).map(({ dimension }) => keys.get(dimension) ?? new Int32Array());
}

function copyTarget(table: TableDefinition, staged: boolean, scopeColumns: readonly string[]): string {
  const columns = loadedColumns(table, scopeColumns).map((column) => `"${column}"`);
  return `${staged ? `pg_temp.staged_${table.name}` : `warehouse.${table.name}`} (${columns.join(', ')})`;
}
