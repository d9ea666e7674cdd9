/** What a flatten function makes of a row, written so that a test can say it in full. */
import type { FlatRecord } from '../../src/model/flat-record.ts';
import { partSeparator } from '../../src/model/table.ts';
import { sourceOf } from './samples.ts';

/** Flattens one payload row of an endpoint. */
export function flattenRow(endpoint: string, row: unknown): FlatRecord {
  return sourceOf(endpoint).flatten(row);
}

/** The rows by table; the parts of a natural key are joined by ` | `. */
export function rowsByTable(endpoint: string, row: unknown): Record<string, unknown[][]> {
  const { tables } = sourceOf(endpoint).flatten;
  return Object.fromEntries(
    flattenRow(endpoint, row).rows.map((rows, index) => [
      tables[index]?.name ?? '',
      rows.map((values) =>
        values.map((value) => (typeof value === 'string' ? value.replaceAll(partSeparator, ' | ') : value)),
      ),
    ]),
  );
}

/** The tables whose rows stay, with the natural keys that narrow them down. */
export function keptTables(endpoint: string, row: unknown): Record<string, readonly string[]> {
  const { tables } = sourceOf(endpoint).flatten;
  return Object.fromEntries(
    flattenRow(endpoint, row).kept.map(({ table, leadingKeys }) => [tables[table]?.name ?? '', leadingKeys]),
  );
}
