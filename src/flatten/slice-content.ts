/**
 * Gathers the rows of one slice: flattens them as they come, settles keys that come twice (warehouse rule 6),
 * and fingerprints the content regardless of the order in which the platform listed it.
 */
import { createHash } from 'node:crypto';
import type { CountedDrift, Drift, Rejection } from '../model/drift.ts';
import { replaceUnstorableCharacters } from '../model/json.ts';
import type { Duplicates } from '../model/source.ts';
import { partSeparator, type TableDefinition } from '../model/table.ts';
import { batchDigest } from './content-hash.ts';
import type { RecordSink } from './flat-record.ts';
import type { Flatten } from './flatten.ts';
import { type Batch, PendingRows } from './pending-rows.ts';

/** Gathers one slice. */
export interface SliceContent {
  /** Adds one payload row. `mayHoldUnstorableCharacters`: as `parseJson` said of the answer it came in. */
  add(row: unknown, mayHoldUnstorableCharacters: boolean): void;
  /** Sets a row aside that cannot belong to this slice. */
  reject(rejection: Rejection): void;
  /** The rows gathered since the last call; they are not held any longer. */
  takeBatch(): Batch;
  /** Tells that rows of a later batch replaced rows of an earlier one, with the same key in the main table. */
  noteReplaced(count: number): void;
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
   * SHA-256 of the content; equal for equal content in any order within the batches that it was taken in. Undefined
   * when order matters (a key came twice) or when rows were rejected, so that such a slice is always compared row by
   * row. Ask when all rows have come.
   */
  contentHash(): Buffer | undefined;
}

/** Begins to gather a slice whose rows `flatten` understands. */
export function createSliceContent(flatten: Flatten, duplicates: Duplicates): SliceContent {
  /** Made with the first row: of answers that are recognized none is looked at. */
  let pending: PendingRows | undefined;
  const waiting = () => {
    pending ??= new PendingRows(flatten.tables, duplicates, noteDuplicate);
    return pending;
  };
  const rejected: Rejection[] = [];
  const drift = new Map<
    string,
    { path: string; kind: Drift['kind']; example: string; occurrences: number }
  >();
  /** Of batches that were taken. */
  const digests: Buffer[] = [];
  let read = 0;
  let accepted = 0;
  let orderMatters = false;

  const isComparable = () => !orderMatters && rejected.length === 0;

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

  const sink: RecordSink = {
    row(table, keys, figures) {
      accepted += 1;
      waiting().add(table, keys, figures);
    },
    kept: (rows) => waiting().keep(rows),
    observed: (dimension, naturalKey, value) => waiting().observe(dimension, naturalKey, value),
    rejected: (rejection) => rejected.push(rejection),
    surprised: note,
  };

  return {
    add(row, mayHoldUnstorableCharacters) {
      read += 1;
      const clean = mayHoldUnstorableCharacters
        ? replaceUnstorableCharacters(row, (path, text) =>
            note({ path, kind: 'replaced_character', example: text.slice(0, 200) }),
          )
        : row;
      flatten(clean, sink);
    },
    reject(rejection) {
      read += 1;
      rejected.push(rejection);
    },
    takeBatch() {
      const batch = waiting().batch();
      if (waiting().size > 0 && isComparable()) digests.push(batchDigest(flatten.tables, batch));
      pending = undefined;
      return batch;
    },
    noteReplaced(count) {
      if (count > 0) orderMatters = true;
      const [mainTable] = flatten.tables;
      for (let index = 0; index < count && mainTable !== undefined; index++)
        note({ path: mainTable.name, kind: 'duplicate_key', example: 'in a later page of the same day' });
    },
    get waiting() {
      return pending?.size ?? 0;
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
      if (!isComparable()) return undefined;
      const rest = waiting().size > 0 ? [batchDigest(flatten.tables, waiting().batch())] : [];
      return createHash('sha256')
        .update(Buffer.concat([...digests, ...rest]))
        .digest();
    },
  };
}
