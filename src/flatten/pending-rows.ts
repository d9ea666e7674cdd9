/** Rows that wait to be loaded. Resolves keys that come twice (warehouse rule 6). */
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

/** Rows that are ready to load. */
export interface Batch {
  /** Per table in the order of `Flatten.tables`. */
  readonly rows: readonly PackedRows[];
  /** Natural keys that rows refer to, in the order of their numbers. */
  readonly names: ReadonlyMap<Dimension, readonly string[]>;
  /** The texts of keys that are values, by column, in the order of their numbers. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly kept: readonly KeptRows[];
  /** What was reported last of a dimension's attributes, by the number of the natural key. */
  readonly observed: ReadonlyMap<Attribute, Reported>;
}

/** Values of an attribute as text; null where there is none, undefined where nothing was reported. */
export type Reported = readonly (string | null | undefined)[];

/** Hears of a key that came again; its parts are joined by `partSeparator`. */
export type OnDuplicate = (table: StoredTable, key: string) => void;

/** An answer may hold millions of records that cannot be read, each with rows of its own to keep. */
const mostKept = 20_000;

/** Takes the place of a record number for rows that stay, whichever record comes later. */
export const forGood = -1;

/** Gathers the rows of records. The first row of each record is that of the first table. */
export class PendingRows {
  readonly #tables: readonly StoredTable[];
  readonly #duplicates: Duplicates;
  readonly #onDuplicate: OnDuplicate;
  readonly #packers: readonly RowPacker[];
  readonly #names = new Map<Dimension, Names>();
  /** By the column that holds them; tables below inherit columns by name. */
  readonly #texts = new Map<string, Names>();
  readonly #observed = new Map<Attribute, { of: Dimension; values: (string | null | undefined)[] }>();
  /** By the number of the record, or `forGood`, and by what they are. */
  readonly #kept = new Map<number, Map<string, KeptRows>>();
  #keptCount = 0;
  /** For each record and table the number of its first row. */
  readonly #starts: number[] = [];
  /** For each row of the first table the number of its record. It changes when a later record replaces the row. */
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

  /** Records that wait. */
  get size(): number {
    return this.#size - this.#replaced;
  }

  /**
   * Adds a row to the last record. A row of the first table begins a new record. False when it is not added: its key
   * came before, and the sum of both would be more than the warehouse holds.
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
    // Where the last record counts, only rows of the same record are added up.
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

  /** Notes rows that stay as they are, for the last record or for another one. */
  keep(rows: KeptRows, record = this.#size - 1): void {
    // So many are not told apart any more: all rows of the table stay.
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

  /** Notes what was reported of an attribute. */
  observe(dimension: Dimension, attribute: Attribute, naturalKey: string, value: string | null): void {
    const known = this.#observed.get(attribute) ?? { of: dimension, values: [] };
    this.#observed.set(attribute, known);
    known.values[this.#namesOf(dimension).numberOf(naturalKey)] = value;
  }

  #start(table: number, record: number): number {
    return this.#starts[record * this.#packers.length + table] ?? this.#packers[table]?.length ?? 0;
  }

  /** All rows that wait. Nothing may be added any more. */
  batch(): Batch {
    if (this.#replaced > 0) return this.#withoutReplaced().batch();
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
 * Sums the additive values of both rows. Everything else is taken from the later row, unless it is null there. Undefined
 * when a sum is more than its column holds.
 */
function merged(earlier: FlatRow, later: FlatRow, { values }: StoredTable): FlatRow | undefined {
  const before = readRow(earlier.values);
  const both: (string | null)[] = [];
  for (const [index, value] of readRow(later.values).entries()) {
    const [known, column] = [before[index] ?? null, values[index]];
    if (value === null || known === null || column?.whenTwice !== 'sum') both.push(value ?? known);
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
