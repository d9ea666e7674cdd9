/** A fingerprint of a slice's content that does not depend on the order in which the platform listed it. */
import { hash } from 'node:crypto';
import type { FlatRecord, FlatRow } from './flat-record.ts';

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
function canonicalText({ rows, observations, kept }: FlatRecord): string {
  return JSON.stringify([
    rows.map((ofTable) => (ofTable.length < 2 ? ofTable : ofTable.toSorted(byKeys))),
    observations.map(({ reference, naturalKey, value }) => [reference.column, naturalKey, value]),
    kept,
  ]);
}

/** The order of rows of one table. Rows with the same key never count: a slice that has some has no fingerprint. */
function byKeys(a: FlatRow, b: FlatRow): number {
  for (let position = 0; position < a.keys.length; position++) {
    const [one, other] = [a.keys[position] ?? '', b.keys[position] ?? ''];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}
