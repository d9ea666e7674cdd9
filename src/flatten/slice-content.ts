/** Gathers the rows of one slice: flattens its records, and merges rows with the same key. */
import type { CountedDrift, Drift, RejectedRecords } from '../model/drift.ts';
import type { Sanitizer } from '../model/sanitize.ts';
import { partSeparator, type StoredTable } from '../model/table.ts';
import { withStorableCharacters } from './breakdown.ts';
import type { RecordSink } from './flat-record.ts';
import { type FlatSource, flattenOf } from './flatten.ts';
import type { ParsedRecords } from './parse-records.ts';
import { type FlatRows, forGood, PendingRows } from './pending-rows.ts';
import { Rejections } from './rejections.ts';

/** A slice with fewer rejected records does not fail, unless all its records are rejected. */
const fewRejected = 5;
/** Most paths of drift that are counted apart, all others together: a payload may have any number of unknown names. */
const mostDriftPaths = 100;
const mostOfPath = 500;
const mostOfExample = 200;

/** Collects one slice. */
export interface SliceContent {
  /** Adds records. `misplaced` returns why a record does not belong to this slice, if it does not. */
  add(parsed: ParsedRecords, misplaced: (record: unknown) => Misplaced | undefined): void;
  /** Returns the rows that were added since the last call. */
  takeRows(): FlatRows;
  /** Adds drift that only the database can find. */
  note(drift: CountedDrift): void;
  /** Number of records, rejected ones included. */
  readonly read: number;
  readonly rejected: RejectedRecords;
  /** Drift by path and kind, with its number of occurrences. */
  readonly drift: readonly CountedDrift[];
  /**
   * The reason, in words, if too much was rejected: all records, or at one path at least five entries and more than the
   * share `maxShare` of them. Undefined if not.
   */
  tooManyRejected(maxShare: number): string | undefined;
}

/** Why a record does not belong to the slice. */
export interface Misplaced {
  readonly reason: string;
  /** Whether the record belongs to another slice: then it has no stored rows in this slice. */
  readonly isOfAnother: boolean;
}

/** Begins a slice of `source`. `redact` sanitizes the parts of payloads that are kept or shown. */
export function createSliceContent(source: FlatSource, redact: Sanitizer): SliceContent {
  const flatten = flattenOf(source);
  const newPending = () => new PendingRows(flatten.tables, source.duplicates, noteDuplicate);
  let pending = newPending();
  const rejections = new Rejections(redact);
  const drift = new Map<string, CountedDrift>();
  /** Number of accepted records or entries, by table. */
  const accepted = flatten.tables.map(() => 0);
  let read = 0;

  function note({ path, kind, example }: Drift, occurrences = 1): void {
    // A path contains names of the platform: a long one is cut.
    const place = path.length > mostOfPath ? redact(path, mostOfPath) : path;
    const isNew = !drift.has(`${kind}\0${place}`);
    const counted = isNew && drift.size >= mostDriftPaths ? '…' : place;
    const known = drift.get(`${kind}\0${counted}`) ?? {
      path: redact(counted, mostOfPath),
      kind,
      example: redact(example(), mostOfExample),
      occurrences: 0,
    };
    drift.set(`${kind}\0${counted}`, { ...known, occurrences: known.occurrences + occurrences });
  }

  function noteDuplicate(table: StoredTable, key: string): void {
    const example = () => key.replaceAll(partSeparator, ' · ');
    note({ path: table.name, kind: 'duplicate_key', example });
  }

  const sink: RecordSink = {
    row(table, keys, values) {
      const isAdded = pending.add(table, keys, values);
      if (isAdded) accepted[table] = (accepted[table] ?? 0) + 1;
      return isAdded;
    },
    kept: (rows) => pending.keep(rows),
    keptForGood: (rows) => pending.keep(rows, forGood),
    observed: (dimension, attribute, naturalKey, value) =>
      pending.observe(dimension, attribute, naturalKey, value),
    rejected: (path, reason, payload) => rejections.add(path, reason, payload),
    drifted: (drift) => note(drift),
  };

  return {
    add({ records, mayHoldUnstorableCharacters }, misplaced) {
      read += records.length;
      for (const raw of records) {
        const record = mayHoldUnstorableCharacters ? withStorableCharacters(raw, '', sink) : raw;
        const why = misplaced(record);
        if (why === undefined) flatten(record, sink);
        else if (why.isOfAnother) rejections.add('', () => why.reason, record);
        else flatten.reject(record, why.reason, sink);
      }
    },
    takeRows() {
      const rows = pending.flatRows();
      pending = newPending();
      return rows;
    },
    note(found) {
      note({ ...found, example: () => found.example }, found.occurrences);
    },
    get read() {
      return read;
    },
    get rejected() {
      return rejections.all;
    },
    get drift() {
      return [...drift.values()];
    },
    tooManyRejected(maxShare) {
      for (const [index, path] of flatten.paths.entries()) {
        const { count, first } = rejections.at(path);
        const share = count / Math.max(1, count + (accepted[index] ?? 0));
        const isAll = path === '' && share === 1 && count > 0;
        if (!isAll && (share <= maxShare || count < fewRejected)) continue;
        const records = path === '' ? 'data[]' : path;
        return (
          `${count} of the records of ${records} cannot be loaded (${(share * 100).toFixed(0)} %, more than MAX_REJECTED_SHARE allows); ` +
          `the first: ${first}; see etl.rejected_row`
        );
      }
      return undefined;
    },
  };
}
