/** Rows that wait to be loaded, with keys that come twice settled (warehouse rule 6). */
import Big from 'big.js';
import type { FlatRecord, FlatRow, KeptRows, Observation } from './flat-record.ts';
import { type Cell, partSeparator, type TableDefinition } from './table.ts';

/** Rows that are ready to load, per table in the order of `Flatten.tables`. */
export interface Batch {
  readonly rows: readonly FlatRow[][];
  readonly kept: readonly KeptRows[];
  readonly observations: readonly Observation[];
}

/** Gathers records until they are taken. */
export interface PendingRows {
  add(
    record: FlatRecord,
    onDuplicate: (table: TableDefinition, key: string) => void,
    tables: readonly TableDefinition[],
  ): void;
  take(tableCount: number): Batch;
  size(): number;
}

/** Whole records by the key of their main row; a record that comes again replaces the one before. */
export function keepLast(): PendingRows {
  let records = new Map<string, FlatRecord>();
  return {
    add(record, onDuplicate, tables) {
      const [mainTable] = tables;
      const mainRow = record.rows[0]?.[0];
      if (mainTable === undefined || mainRow === undefined) return;
      const key = keyOf(mainRow, mainTable.keys.length);
      if (records.has(key)) onDuplicate(mainTable, key);
      for (let index = 1; index < record.rows.length; index++) {
        const [rows, table] = [record.rows[index], tables[index]];
        if (rows !== undefined && rows.length > 1 && table !== undefined)
          mergeInPlace(rows, table, onDuplicate);
      }
      records.set(key, record);
    },
    take(tableCount) {
      const taken = [...records.values()];
      const rows: FlatRow[][] = Array.from({ length: tableCount }, () => []);
      const kept: KeptRows[] = [];
      const observations: Observation[] = [];
      for (const record of taken) {
        for (let table = 0; table < tableCount; table++)
          for (const row of record.rows[table] ?? []) rows[table]?.push(row);
        for (const rowsToKeep of record.kept) kept.push(rowsToKeep);
        for (const observation of record.observations) observations.push(observation);
      }
      records = new Map();
      return { rows, kept, observations };
    },
    size: () => records.size,
  };
}

/** Rows by key per table; a row that comes again is added to the one before. */
export function sumAll(tables: readonly TableDefinition[]): PendingRows {
  let rows = tables.map(() => new Map<string, FlatRow>());
  let kept: KeptRows[] = [];
  let observations: Observation[] = [];
  let records = 0;
  return {
    add(record, onDuplicate) {
      records += 1;
      record.rows.forEach((added, index) => {
        const table = tables[index];
        const byKey = rows[index];
        if (table !== undefined && byKey !== undefined) mergeInto(byKey, added, table, onDuplicate);
      });
      for (const rowsToKeep of record.kept) kept.push(rowsToKeep);
      for (const observation of record.observations) observations.push(observation);
    },
    take() {
      const batch: Batch = {
        rows: rows.map((byKey) => [...byKey.values()]),
        kept,
        observations,
      };
      rows = tables.map(() => new Map<string, FlatRow>());
      kept = [];
      observations = [];
      records = 0;
      return batch;
    },
    size: () => records,
  };
}

function mergeInPlace(
  rows: FlatRow[],
  table: TableDefinition,
  onDuplicate: (table: TableDefinition, key: string) => void,
): void {
  const byKey = new Map<string, FlatRow>();
  mergeInto(byKey, rows, table, onDuplicate);
  if (byKey.size < rows.length) rows.splice(0, rows.length, ...byKey.values());
}

function mergeInto(
  byKey: Map<string, FlatRow>,
  rows: readonly FlatRow[],
  table: TableDefinition,
  onDuplicate: (table: TableDefinition, key: string) => void,
): void {
  for (const row of rows) {
    const key = keyOf(row, table.keys.length);
    const known = byKey.get(key);
    if (known === undefined) {
      byKey.set(key, row);
      continue;
    }
    onDuplicate(table, key);
    byKey.set(key, merged(known, row, table));
  }
}

/** Additive measures of both rows summed, everything else as the later row has it. */
function merged(earlier: FlatRow, later: FlatRow, table: TableDefinition): FlatRow {
  const firstMeasure = table.keys.length + table.attributes.length;
  return later.map((value, index) => {
    const before = earlier[index] ?? null;
    const measure = table.measures[index - firstMeasure];
    if (value === null || before === null) return value ?? before;
    return measure?.additive === true ? exactSum(before, value) : value;
  });
}

function exactSum(a: number | string, b: number | string): Cell {
  return new Big(a).plus(new Big(b)).toFixed();
}

function keyOf(row: FlatRow, keyCount: number): string {
  if (keyCount === 1) return String(row[0]);
  return row.slice(0, keyCount).join(partSeparator);
}
