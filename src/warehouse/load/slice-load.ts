/**
 * Replaces the rows of one slice, within the transaction of the caller. A table that holds nothing of the slice
 * yet is copied into directly. Otherwise rows go to a temporary table first, and only what differs is written:
 * rows that vanished are deleted, changed ones updated, new ones inserted. Equal rows keep their `loaded_at`.
 */
import { sql } from 'kysely';
import { noName } from '../../flatten/packed-rows.ts';
import type { Batch } from '../../flatten/pending-rows.ts';
import type { RowChanges } from '../../model/run.ts';
import type { Session } from '../connection/connection.ts';
import { type KeysOfNames, keyFinder, keysOf, resolveBatches } from './batch-keys.ts';
import { copyRows, linesOf } from './copy.ts';
import type { KeyCache, LatestReports, LearnedKeys, ResolvedKeys } from './dimension-keys.ts';
import { createKeySet } from './key-set.ts';
import { refreshLatestAttributes } from './latest-attribute.ts';
import { copyTarget, factName, inSlice, linePrefix, type SliceTarget } from './slice-target.ts';
import { mergeStaged, stagedName, stagingTable } from './staging.ts';

/** What `finish` reports. */
export interface LoadedSlice extends RowChanges {
  /** Rows of the slice that each table holds now. */
  readonly tableRows: Readonly<Record<string, number>>;
  /** To be remembered once it is committed. */
  readonly learned: LearnedKeys;
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
  const states = tables.map((table) => {
    const staged = (stored[table.name] ?? 0) > 0;
    return {
      table,
      staged,
      /** Where rows are written to. */
      place: staged ? stagedName(table) : factName(table),
      stagingReady: false,
      written: 0,
      kept: [] as number[][],
    };
  });
  const prefix = linePrefix(orgKey, slice);
  const scopeColumns = Object.keys(slice.scope);

  async function write(batch: Batch): Promise<number> {
    // Between batches nothing but the cache is remembered, or a slice would hold all its keys in memory.
    resolved.clear();
    latestReports.clear();
    const [keys = new Map()] = await resolveBatches(session.db, orgKey, [batch], cache, resolved);
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
        copyTarget(state.place, state.table, scopeColumns),
        linesOf(rows, prefix, keysOf(state.table, keys)),
      );
      state.written += rows.length;
    }
    const find = keyFinder(batch, keys);
    for (const { table, leadingKeys } of batch.kept) {
      const state = states[table];
      const dimensions = state?.table.keys.map(({ dimension }) => dimension) ?? [];
      state?.kept.push(
        dimensions
          .slice(0, leadingKeys.length)
          .map((dimension, position) => find(dimension, leadingKeys[position] ?? '')),
      );
    }
    if (slice.usageDate !== null) await followReports(batch, keys, slice.usageDate);
    return replaced;
  }

  async function followReports({ observed }: Batch, keys: KeysOfNames, usageDate: string): Promise<void> {
    const report = { observed, keys, usageDate };
    const reports = await refreshLatestAttributes(session.db, [report], cache, slice.endpoint);
    for (const [dimension, added] of reports)
      latestReports.set(dimension, new Map([...(latestReports.get(dimension) ?? []), ...added]));
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
      const { numAffectedRows } = await sql`
        delete from ${sql.table(state.place)} as f
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
