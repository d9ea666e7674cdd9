/** A fingerprint of a slice's content that does not depend on the order in which the platform listed it. */
import { hash } from 'node:crypto';
import type { FlatRecord } from './flat-record.ts';
import { partSeparator } from './table.ts';

/** Sums up the records of a slice. Needs the same little memory for any number of them. */
export interface ContentDigest {
  add(record: FlatRecord): void;
  /** SHA-256 of the sum of all records' SHA-256: a sum does not depend on the order of its parts. */
  value(): Buffer;
}

const wordsPerDigest = 8;

/** A digest of no records. */
export function createContentDigest(): ContentDigest {
  const sum = new Uint32Array(wordsPerDigest);
  return {
    add(record) {
      const digest = hash('sha256', canonicalText(record), 'binary');
      for (let word = 0; word < wordsPerDigest; word++)
        sum[word] = (sum[word] ?? 0) + wordAt(digest, word * 4);
    },
    value: () => hash('sha256', Buffer.from(sum.buffer), 'buffer'),
  };
}

function wordAt(bytes: string, position: number): number {
  return (
    bytes.charCodeAt(position) +
    (bytes.charCodeAt(position + 1) << 8) +
    (bytes.charCodeAt(position + 2) << 16) +
    bytes.charCodeAt(position + 3) * 2 ** 24
  );
}

/** Everything of a record that the warehouse would store, as one text that does not depend on the order of entries. */
function canonicalText(record: FlatRecord): string {
  const lines: string[] = [];
  for (let table = 0; table < record.rows.length; table++) {
    for (const row of record.rows[table] ?? []) {
      // Which values are null stands at the end: between separators, null and empty text look the same.
      const nulls = row.includes(null) ? row.map((value) => (value === null ? 1 : 0)).join('') : '';
      lines.push([table, row.join(partSeparator), nulls].join(partSeparator));
    }
  }
  for (const { reference, naturalKey, value } of record.observations)
    lines.push(['@', reference.column, naturalKey, value].join(partSeparator));
  for (const { table, leadingKeys } of record.kept)
    lines.push(['=', table, ...leadingKeys].join(partSeparator));
  // Lines have a fixed number of separators, so that where one ends is never in doubt.
  return lines.length === 1 ? (lines[0] ?? '') : lines.sort().join('\n');
}
