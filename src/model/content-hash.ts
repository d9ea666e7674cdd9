/** A fingerprint of a slice's content that does not depend on the order in which the platform listed it. */
import { hash } from 'node:crypto';
import type { FlatRecord } from './flat-record.ts';
import { partSeparator } from './table.ts';

/** SHA-256 of the canonical texts of a slice's records, whatever their order; sorts `lines`. */
export function hashOfLines(lines: string[]): Buffer {
  return hash('sha256', lines.sort().join(lineSeparator), 'buffer');
}

/** Everything of a record that the warehouse would store, as one text that does not depend on the order of entries. */
export function canonicalText(record: FlatRecord): string {
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
