/** The output of a flatten function, in a short form that tests can write out. */

import type { FlatRow, KeptRows } from '../../src/flatten/flat-record.ts';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { noName, type PackedRows } from '../../src/flatten/packed-rows.ts';
import { readRow } from '../../src/flatten/row-text.ts';
import type { DriftKind } from '../../src/model/drift.ts';
import { partSeparator } from '../../src/model/table.ts';
import { sourceOf } from './samples.ts';

/** The result of flattening one record. */
export interface FlatRecord {
  /** Rows per table, in the order of `Flatten.tables`. */
  readonly rows: FlatRow[][];
  readonly kept: KeptRows[];
  /** Rows that stay because the record as a whole was rejected. */
  readonly keptForGood: KeptRows[];
  readonly observations: { dimension: string; naturalKey: string; value: string | null }[];
  readonly rejected: { path: string; reason: string; payload: unknown }[];
  readonly drift: { path: string; kind: DriftKind; example: string }[];
}

/** Flattens one record of an endpoint. */
export function flattenRow(endpoint: string, row: unknown): FlatRecord {
  const flatten = flattenOf(sourceOf(endpoint));
  const record: FlatRecord = {
    rows: flatten.tables.map(() => []),
    kept: [],
    keptForGood: [],
    observations: [],
    rejected: [],
    drift: [],
  };
  flatten(row, {
    row(table, keys, values) {
      record.rows[table]?.push({ keys, values });
      return true;
    },
    kept: (rows) => record.kept.push(rows),
    keptForGood: (rows) => record.keptForGood.push(rows),
    observed: ({ table: dimension }, _, naturalKey, value) =>
      record.observations.push({ dimension, naturalKey, value }),
    rejected: (path, reason, payload) => record.rejected.push({ path, reason: reason(), payload }),
    drifted: ({ path, kind, example }) => record.drift.push({ path, kind, example: example() }),
  });
  return record;
}

/** The rows by table; the parts of a natural key are joined by ` | `. */
export function rowsByTable(endpoint: string, row: unknown): Record<string, unknown[][]> {
  const { tables } = flattenOf(sourceOf(endpoint));
  return Object.fromEntries(
    flattenRow(endpoint, row).rows.map((rows, index) => [
      tables[index]?.name ?? '',
      rows.map((row) =>
        valuesOf(row).map((value) =>
          typeof value === 'string' ? value.replaceAll(partSeparator, ' | ') : value,
        ),
      ),
    ]),
  );
}

/** The tables whose rows stay, with the natural keys that narrow them down. */
export function keptTables(endpoint: string, row: unknown): Record<string, readonly string[]> {
  const { tables } = flattenOf(sourceOf(endpoint));
  return Object.fromEntries(
    flattenRow(endpoint, row).kept.map(({ table, leadingKeys }) => [tables[table]?.name ?? '', leadingKeys]),
  );
}

/** The names of a row, then its values. A value is a number if that is exact, else text. */
export function valuesOf({ keys, values }: FlatRow): (string | number | null)[] {
  const written = readRow(values).map((figure) =>
    figure !== null && String(Number(figure)) === figure ? Number(figure) : figure,
  );
  return [...keys, ...written];
}

/** The values of packed rows. */
export function valuesOfPacked(rows: PackedRows | undefined): (string | number | null)[][] {
  if (rows === undefined) return [];
  const { names, keys, starts, ends, values } = rows;
  return Array.from({ length: rows.length }, (_, row) =>
    valuesOf({
      keys: names.map((list, position) => list[keys[row * names.length + position] ?? noName] ?? null),
      values: values.toString('utf8', starts[row], ends[row]),
    }),
  );
}
