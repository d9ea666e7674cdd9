/** Rows that are not loaded yet. Rows with the same key become one row: the last of them, or their sum. */
import Big from 'big.js';
import { largestBigint } from '../model/fields.ts';
import type { Duplicates } from '../model/source.ts';
import {
  type Attribute,
  type Dimension,
  isReference,
  namedColumns,
  partSeparator,
  type StoredTable,
} from '../model/table.ts';
import type { FlatRow, KeptRows } from './flat-record.ts';
import { Names, type PackedRows, RowPacker } from './packed-rows.ts';
import { readRow, rewriteRow } from './row-text.ts';

/** The flat rows of one slice or chunk, ready to load. */
export interface FlatRows {
  /** The rows of each table, in the order of `Flatten.tables`. */
  readonly rows: readonly PackedRows[];
  /** Natural keys by dimension, in the order of their numbers. */
  readonly names: ReadonlyMap<Dimension, readonly string[]>;
  /** Texts of keys that are no references, by column, in the order of their numbers. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly kept: readonly KeptRows[];
  /** The last reported value of each attribute, by the number of the natural key. */
  readonly observed: ReadonlyMap<Attribute, Reported>;
}

/** Values of an attribute as text. Null: reported without a value; undefined: not reported. */
export type Reported = readonly (string | null | undefined)[];

/** Called for each duplicate key; its parts are joined by `partSeparator`. */
export type OnDuplicate = (table: StoredTable, key: string) => void;

/**
 * The largest number of `KeptRows` in a list; beyond it, one entry keeps all rows of its table. An answer
 * may have millions of unreadable records, each with rows to keep.
 */
const mostKept = 20_000;

/** Used as the record number of rows that stay, whatever later records say. */
export const forGood = -1;

/** Collects the rows of records. The first row of each record belongs to the first table. */
export class PendingRows {
  readonly #tables: readonly StoredTable[];
  readonly #duplicates: Duplicates;
  readonly #onDuplicate: OnDuplicate;
  readonly #packers: readonly RowPacker[];
  readonly #names = new Map<Dimension, Names>();
  /** Texts of keys by the name of their column, which is the same in child tables. */
  readonly #texts = new Map<string, Names>();
  readonly #observed = new Map<Attribute, { of: Dimension; values: (string | null | undefined)[] }>();
  /** Rows that stay: by record number or `forGood`, then by table and leading keys. */
  readonly #kept = new Map<number, Map<string, KeptRows>>();
  #keptCount = 0;
  /** The number of the first row of each record and table. */
  readonly #starts: number[] = [];
  /** The record number of each row of the first table. It changes when a later record replaces the row. */
  readonly #records: number[] = [];
  #size = 0;
  #replaced = 0;

  constructor(tables: readonly StoredTable[], duplicates: Duplicates, onDuplicate: OnDuplicate) {
    this.#tables = tables;
    this.#duplicates = duplicates;
    this.#onDuplicate = onDuplicate;
    this.#packers = tables.map(
      (table) =>
        new RowPacker(
          table,
          namedColumns(table).map((column) =>
            isReference(column) ? this.#namesOf(column.dimension) : this.#textsOf(column.column),
          ),
        ),
    );
  }

  #namesOf(dimension: Dimension): Names {
    const known = this.#names.get(dimension) ?? new Names();
    this.#names.set(dimension, known);
    return known;
  }

  #textsOf(column: string): Names {
    const known = this.#texts.get(column) ?? new Names();
    this.#texts.set(column, known);
    return known;
  }

  /** Number of records. */
  get size(): number {
    return this.#size - this.#replaced;
  }

  /**
   * Adds a row to the last record; a row of the first table begins a new record. Returns false when an earlier row has the
   * same key and the sum of both rows is too large.
   */
  add(table: number, keys: FlatRow['keys'], values: string): boolean {
    const [definition, packer] = [this.#tables[table], this.#packers[table]];
    if (definition === undefined || packer === undefined) return true;
    if (table === 0) {
      this.#size += 1;
      for (const { length } of this.#packers) this.#starts.push(length);
    }
    const record = this.#size - 1;
    const replaces = this.#duplicates === 'last';
    // If later records replace earlier ones, only rows of the same record are summed.
    const first = replaces && table > 0 ? this.#start(table, record) : 0;
    const known = packer.add(keys, values, first);
    if (known === undefined) {
      if (table === 0) this.#records.push(record);
      return true;
    }
    const row = { keys, values };
    const isReplaced = table === 0 && replaces;
    const sum = isReplaced ? row : merged(packer.rowAt(known), row, definition);
    if (sum === undefined) return false;
    this.#onDuplicate(definition, keys.slice(0, definition.keys.length).join(partSeparator));
    packer.replace(known, sum);
    if (!isReplaced) return true;
    this.#records[known] = record;
    this.#replaced += 1;
    return true;
  }

  /** Notes rows that stay: as long as the record with the number `record` is not replaced. */
  keep(rows: KeptRows, record = this.#size - 1): void {
    // There are too many to keep apart, so all rows of the table stay.
    if (this.#keptCount >= mostKept && rows.leadingKeys.length > 0) {
      this.keep({ table: rows.table, leadingKeys: [] }, forGood);
      return;
    }
    const ofRecord = this.#kept.get(record) ?? new Map<string, KeptRows>();
    const identity = [rows.table, ...rows.leadingKeys].join(partSeparator);
    if (ofRecord.has(identity)) return;
    this.#keptCount += 1;
    ofRecord.set(identity, rows);
    this.#kept.set(record, ofRecord);
  }

  /** Notes the reported value of an attribute. */
  observe(dimension: Dimension, attribute: Attribute, naturalKey: string, value: string | null): void {
    const known = this.#observed.get(attribute) ?? { of: dimension, values: [] };
    this.#observed.set(attribute, known);
    known.values[this.#namesOf(dimension).numberOf(naturalKey)] = value;
  }

  #start(table: number, record: number): number {
    return this.#starts[record * this.#packers.length + table] ?? this.#packers[table]?.length ?? 0;
  }

  /** All rows. Nothing may be added after this call. */
  flatRows(): FlatRows {
    if (this.#replaced > 0) return this.#withoutReplaced().flatRows();
    return {
      rows: this.#packers.map((packer) => packer.pack()),
      names: new Map([...this.#names].map(([dimension, { list }]) => [dimension, list])),
      texts: new Map([...this.#texts].map(([column, { list }]) => [column, list])),
      kept: [...this.#kept.values()].flatMap((ofRecord) => [...ofRecord.values()]),
      observed: new Map([...this.#observed].map(([attribute, { values }]) => [attribute, values])),
    };
  }

  #withoutReplaced(): PendingRows {
    const rest = new PendingRows(this.#tables, this.#duplicates, () => undefined);
    for (const [mainRow, record] of this.#records.entries()) {
      for (const [table, packer] of this.#packers.entries()) {
        const [start, end] =
          table === 0 ? [mainRow, mainRow + 1] : [this.#start(table, record), this.#start(table, record + 1)];
        for (let number = start; number < end; number++) {
          const { keys, values } = packer.rowAt(number);
          rest.add(table, keys, values);
        }
      }
      for (const rows of this.#kept.get(record)?.values() ?? []) rest.keep(rows);
    }
    for (const rows of this.#kept.get(forGood)?.values() ?? []) rest.keep(rows, forGood);
    for (const [attribute, { of, values }] of this.#observed)
      for (const [number, naturalKey] of this.#namesOf(of).list.entries()) {
        const value = values[number];
        if (value !== undefined) rest.observe(of, attribute, naturalKey, value);
      }
    return rest;
  }
}

/**
 * Makes one row of two with the same key. Additive values are summed; any other value is that of the later row, or that
 * of the earlier row if the later has null. Undefined when a sum is too large for its column.
 */
function merged(earlier: FlatRow, later: FlatRow, { values }: StoredTable): FlatRow | undefined {
  const before = readRow(earlier.values);
  const both: (string | null)[] = [];
  for (const [index, value] of readRow(later.values).entries()) {
    const [known, column] = [before[index] ?? null, values[index]];
    if (value === null || known === null || column?.whenDuplicate !== 'sum') both.push(value ?? known);
    else {
      const sum = new Big(known).plus(new Big(value)).toFixed();
      if (column.type === 'bigint' && BigInt(sum) > largestBigint) return undefined;
      both.push(sum);
    }
  }
  return {
    keys: later.keys.map((key, index) => key ?? earlier.keys[index] ?? null),
    values: rewriteRow(both, later.values),
  };
}
