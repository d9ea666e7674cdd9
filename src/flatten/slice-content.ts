/**
 * Gathers the rows of one slice: flattens its records, resolves keys that come twice (warehouse rule 6), and makes the
 * content hash, which does not depend on the order of the records.
 */
import { createHash } from 'node:crypto';
import type { CountedDrift, Drift, Rejection } from '../model/drift.ts';
import type { DailySource } from '../model/source.ts';
import { partSeparator, type TableDefinition } from '../model/table.ts';
import { batchDigest } from './content-hash.ts';
import type { RecordSink } from './flat-record.ts';
import { flattenOf, withStorableCharacters } from './flatten.ts';
import type { ParsedRecords } from './parse-records.ts';
import { type Batch, forGood, PendingRows } from './pending-rows.ts';

/** Fewer rejected records do not make a slice fail, unless all of its records are rejected. */
const fewRejected = 5;
/** More paths of drift are counted together: a payload could have any number of unknown names. */
const mostDriftPaths = 100;

/** Gathers one slice. */
export interface SliceContent {
  /** Adds records. `misplaced` says why a record is not of this slice, and whether it is of another one. */
  add(parsed: ParsedRecords, misplaced: (record: unknown) => Misplaced | undefined): void;
  /** The rows since the last call. They are not kept here any longer. */
  takeBatch(): Batch;
  /** Notes drift that only the database can see. */
  note(drift: CountedDrift): void;
  /** Records that came, rejected ones included. */
  readonly read: number;
  readonly rejected: readonly Rejection[];
  /** Distinct surprises by path and kind, with the number of times each was met. */
  readonly drift: readonly CountedDrift[];
  /**
   * Says why too much was rejected: more than `maxShare` and at least five records of one path, or every record.
   * Undefined when it was not too much.
   */
  tooManyRejected(maxShare: number): string | undefined;
  /**
   * SHA-256 of the content, the same in any order. Undefined when there was more than one batch, when a key came twice
   * or when something was rejected: then only the rows can be compared.
   */
  contentHash(): Buffer | undefined;
}

/** Why a record is not one of the slice. */
export interface Misplaced {
  readonly reason: string;
  /** It is of another slice: no row of this one belongs to it. */
  readonly isOfAnother: boolean;
}

/** Begins to gather a slice of `source`. */
export function createSliceContent(source: DailySource): SliceContent {
  const flatten = flattenOf(source);
  const newPending = () => new PendingRows(flatten, source.duplicates, noteDuplicate);
  let pending = newPending();
  const rejected: Rejection[] = [];
  const drift = new Map<string, CountedDrift>();
  /** Records that were not rejected, by table. */
  const accepted = flatten.tables.map(() => 0);
  let digest: Buffer | undefined;
  let batches = 0;
  let read = 0;
  let orderMatters = false;

  function note({ path, kind, example }: Drift, occurrences = 1): void {
    const isNew = !drift.has(`${kind}\0${path}`);
    const shown = isNew && drift.size >= mostDriftPaths ? '…' : path;
    const known = drift.get(`${kind}\0${shown}`)?.occurrences ?? 0;
    const first = drift.get(`${kind}\0${shown}`)?.example ?? example;
    drift.set(`${kind}\0${shown}`, { path: shown, kind, example: first, occurrences: known + occurrences });
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
      const isAdded = pending.add(table, keys, figures);
      if (isAdded) accepted[table] = (accepted[table] ?? 0) + 1;
      return isAdded;
    },
    kept: (rows) => pending.keep(rows),
    keptForGood: (rows) => pending.keep(rows, forGood),
    observed: (dimension, naturalKey, value) => pending.observe(dimension, naturalKey, value),
    rejected: (rejection) => rejected.push(rejection),
    surprised: (surprise) => note(surprise),
  };

  return {
    add({ records, mayHoldUnstorableCharacters }, misplaced) {
      read += records.length;
      for (const raw of records) {
        const record = mayHoldUnstorableCharacters ? withStorableCharacters(raw, '', sink) : raw;
        const why = misplaced(record);
        if (why === undefined) flatten(record, sink);
        else if (why.isOfAnother) rejected.push({ path: '', reason: why.reason, payload: record });
        else flatten.reject(record, why.reason, sink);
      }
    },
    takeBatch() {
      const batch = pending.batch();
      if (batches === 0 && !orderMatters && rejected.length === 0)
        digest = createHash('sha256').update(batchDigest(flatten.tables, batch)).digest();
      batches += 1;
      pending = newPending();
      return batch;
    },
    note(found) {
      orderMatters = true;
      note(found, found.occurrences);
    },
    get read() {
      return read;
    },
    rejected,
    get drift() {
      return [...drift.values()];
    },
    tooManyRejected(maxShare) {
      for (const [index, path] of flatten.paths.entries()) {
        const ofPath = rejected.filter((rejection) => rejection.path === path);
        const share = ofPath.length / Math.max(1, ofPath.length + (accepted[index] ?? 0));
        const isAll = path === '' && share === 1 && ofPath.length > 0;
        if (!isAll && (share <= maxShare || ofPath.length < fewRejected)) continue;
        const records = path === '' ? 'data[]' : path;
        return (
          `${ofPath.length} of the records of ${records} cannot be loaded (${(share * 100).toFixed(0)} %, more than MAX_REJECTED_SHARE allows); ` +
          `the first: ${ofPath[0]?.reason ?? 'unknown'}; see etl.rejected_row`
        );
      }
      return undefined;
    },
    contentHash: () => (batches === 1 && !orderMatters && rejected.length === 0 ? digest : undefined),
  };
}
