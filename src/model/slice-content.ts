/**
 * Gathers the rows of one slice: flattens them as they come, settles keys that come twice (warehouse rule 6),
 * and fingerprints the content regardless of the order in which the platform listed it.
 */
import { hash } from 'node:crypto';
import Big from 'big.js';
import type { Drift, FlatRecord, FlatRow, Flatten, KeptRows, Observation, Rejection } from './flatten.ts';
import { replaceUnstorableCharacters } from './json.ts';
import { type Cell, partSeparator, type TableDefinition } from './table.ts';

/** Rows that are ready to load, per table in the order of `Flatten.tables`. */
export interface Batch {
  readonly rows: readonly FlatRow[][];
  readonly kept: readonly KeptRows[];
  readonly observations: readonly Observation[];
  /** Keys of the main table that were in an earlier batch and come again in this one: the earlier row must go. */
  readonly superseded: readonly string[];
}

/** Gathers one slice. */
export interface SliceContent {
  /** Adds one payload row. `mayHoldUnstorableCharacters`: as `parseJson` said of the answer it came in. */
  add(row: unknown, mayHoldUnstorableCharacters: boolean): void;
  /** Sets a row aside that cannot belong to this slice. */
  reject(rejection: Rejection): void;
  /** The rows gathered since the last call; they are not held any longer. */
  takeBatch(): Batch;
  /** Payload rows waiting for `takeBatch`. */
  readonly waiting: number;
  /** Payload rows that came, rejected ones included. */
  readonly read: number;
  readonly rejected: readonly Rejection[];
  /** Distinct surprises by path and kind, with the number of times each was met. */
  readonly drift: readonly CountedDrift[];
  /** Rejected records as a share of all records, breakdown entries counted like rows; 0 when there are none. */
  rejectedShare(): number;
  /**
   * SHA-256 of the content; equal for equal content in any order. Undefined when order matters (a key came twice),
   * when rows were rejected, and for a slice too large to be held at once: such a slice is always compared row by
   * row. Ask when all rows have come.
   */
  contentHash(): Buffer | undefined;
}

/** Begins to gather a slice whose rows `flatten` understands. */
export function createSliceContent(flatten: Flatten, duplicates: 'sum' | 'last'): SliceContent {
  const pending = duplicates === 'last' ? keepLast() : sumAll(flatten.tables);
  const rejected: Rejection[] = [];
  const drift = new Map<
    string,
    { path: string; kind: Drift['kind']; example: string; occurrences: number }
  >();
  let lines: string[] = [];
  let batches = 0;
  let read = 0;
  let accepted = 0;
  let orderMatters = false;
  let contentHash: Buffer | undefined;

  function note({ path, kind, example }: Drift): void {
    const known = drift.get(`${kind}\0${path}`);
    if (known === undefined) drift.set(`${kind}\0${path}`, { path, kind, example, occurrences: 1 });
    else known.occurrences += 1;
  }

  function noteDuplicate(table: TableDefinition, key: string): void {
    orderMatters = true;
    note({
      path: table.name,
      kind: 'duplicate_key',
      example: key.replaceAll(partSeparator, ' · ').slice(0, 200),
    });
  }

  return {
    add(row, mayHoldUnstorableCharacters) {
      read += 1;
      const clean = mayHoldUnstorableCharacters
        ? replaceUnstorableCharacters(row, (path, text) =>
            note({ path, kind: 'replaced_character', example: text.slice(0, 200) }),
          )
        : row;
      const record = flatten(clean);
      for (const rejection of record.rejected) rejected.push(rejection);
      for (const surprise of record.drift) note(surprise);
      for (const rows of record.rows) accepted += rows.length;
      if (record.rows[0]?.length === 0) return;
      if (batches === 0) lines.push(canonicalText(record));
      pending.add(record, noteDuplicate, flatten.tables);
    },
    reject(rejection) {
      read += 1;
      rejected.push(rejection);
    },
    takeBatch() {
      batches += 1;
      return pending.take(flatten.tables.length);
    },
    get waiting() {
      return pending.size();
    },
    get read() {
      return read;
    },
    rejected,
    get drift() {
      return [...drift.values()];
    },
    rejectedShare: () => (rejected.length === 0 ? 0 : rejected.length / (rejected.length + accepted)),
    contentHash() {
      if (orderMatters || rejected.length > 0 || batches > 1) return undefined;
      contentHash ??= hash('sha256', lines.sort().join(lineSeparator), 'buffer');
      lines = [];
      return contentHash;
    },
  };
}

/** One kind of surprise at one path. */
export interface CountedDrift extends Drift {
  readonly occurrences: number;
}

interface Pending {
  add(
    record: FlatRecord,
    onDuplicate: (table: TableDefinition, key: string) => void,
    tables: readonly TableDefinition[],
  ): void;
  take(tableCount: number): Batch;
  size(): number;
}

/** Whole records by the key of their main row; a record that comes again replaces the one before. */
function keepLast(): Pending {
  let records = new Map<string, FlatRecord>();
  const flushed = new Set<string>();
  let superseded: string[] = [];
  return {
    add(record, onDuplicate, tables) {
      const [mainTable] = tables;
      const mainRow = record.rows[0]?.[0];
      if (mainTable === undefined || mainRow === undefined) return;
      const key = keyOf(mainRow, mainTable.keys.length);
      if (records.has(key) || flushed.has(key)) onDuplicate(mainTable, key);
      if (flushed.has(key)) superseded.push(key);
      for (let index = 1; index < record.rows.length; index++) {
        const [rows, table] = [record.rows[index], tables[index]];
        if (rows !== undefined && rows.length > 1 && table !== undefined)
          mergeInPlace(rows, table, onDuplicate);
      }
      records.set(key, record);
    },
    take(tableCount) {
      const taken = [...records.values()];
      for (const key of records.keys()) flushed.add(key);
      const rows: FlatRow[][] = Array.from({ length: tableCount }, () => []);
      const kept: KeptRows[] = [];
      const observations: Observation[] = [];
      for (const record of taken) {
        for (let table = 0; table < tableCount; table++)
          for (const row of record.rows[table] ?? []) rows[table]?.push(row);
        for (const rowsToKeep of record.kept) kept.push(rowsToKeep);
        for (const observation of record.observations) observations.push(observation);
      }
      const batch: Batch = { rows, kept, observations, superseded };
      records = new Map();
      superseded = [];
      return batch;
    },
    size: () => records.size,
  };
}

/** Rows by key per table; a row that comes again is added to the one before. */
function sumAll(tables: readonly TableDefinition[]): Pending {
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
        superseded: [],
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

/** Everything of a record that the warehouse would store, as one text that does not depend on the order of entries. */
function canonicalText(record: FlatRecord): string {
  const lines: string[] = [];
  for (let table = 0; table < record.rows.length; table++) {
    for (const row of record.rows[table] ?? []) {
      let line = String(table);
      // Which values are null stands at the end: between separators, null and empty text look the same.
      let nulls = '';
      for (let index = 0; index < row.length; index++) {
        const value = row[index] ?? null;
        if (value === null) nulls += `,${index}`;
        line += partSeparator + (value ?? '');
      }
      line += partSeparator + nulls;
      lines.push(line);
    }
  }
  for (const { reference, naturalKey, value } of record.observations)
    lines.push(['@', reference.column, naturalKey, value].join(partSeparator));
  for (const { table, leadingKeys } of record.kept)
    lines.push(['=', table, ...leadingKeys].join(partSeparator));
  return lines.length === 1 ? (lines[0] ?? '') : lines.sort().join(lineSeparator);
}

/** Lines have a fixed number of separators, so that where one ends is never in doubt. */
const lineSeparator = '\n';
