/** Rows that wait to be loaded. Resolves keys that come twice (warehouse rule 6). */
import Big from 'big.js';
import { largestBigint, type SqlType } from '../model/fields.ts';
import type { Duplicates } from '../model/source.ts';
import { type Dimension, partSeparator, referencesOf, type TableDefinition } from '../model/table.ts';
import { readFigures, rewriteFigures } from './figures.ts';
import type { FlatRow, KeptRows } from './flat-record.ts';
import type { Flatten } from './flatten.ts';
import { Names, type PackedRows, RowPacker } from './packed-rows.ts';

/** Rows that are ready to load. */
export interface Batch {
  /** Per table in the order of `Flatten.tables`. */
  readonly rows: readonly PackedRows[];
  /** Natural keys that rows refer to, in the order of their numbers. */
  readonly names: ReadonlyMap<Dimension, readonly string[]>;
  readonly kept: readonly KeptRows[];
  /** The last reported value of a dimension's attribute, by the number of the natural key. */
  readonly observed: ReadonlyMap<Dimension, readonly (string | undefined)[]>;
}

/** Hears of a key that came again; its parts are joined by `partSeparator`. */
export type OnDuplicate = (table: TableDefinition, key: string) => void;

/** Takes the place of a record number for rows that stay, whichever record comes later. */
export const forGood = -1;

/** Gathers the rows of records. The first row of each record is that of the first table. */
export class PendingRows {
  readonly #tables: readonly TableDefinition[];
  readonly #types: Flatten['measureTypes'];
  readonly #duplicates: Duplicates;
  readonly #onDuplicate: OnDuplicate;
  readonly #packers: readonly RowPacker[];
  readonly #names = new Map<Dimension, Names>();
  readonly #observed = new Map<Dimension, (string | undefined)[]>();
  /** By the number of the record, or `forGood`. */
  readonly #kept = new Map<number, KeptRows[]>();
  /** For each record and table the number of its first row. */
  readonly #starts: number[] = [];
  /** For each row of the first table the number of its record. It changes when a later record replaces the row. */
  readonly #records: number[] = [];
  #size = 0;
  #replaced = 0;

  constructor(
    { tables, measureTypes }: Pick<Flatten, 'tables' | 'measureTypes'>,
    duplicates: Duplicates,
    onDuplicate: OnDuplicate,
  ) {
    this.#tables = tables;
    this.#types = measureTypes;
    this.#duplicates = duplicates;
    this.#onDuplicate = onDuplicate;
    this.#packers = tables.map(
      (table) =>
        new RowPacker(
          table,
          referencesOf(table).map(({ dimension }) => this.#namesOf(dimension)),
        ),
    );
  }

  #namesOf(dimension: Dimension): Names {
    const known = this.#names.get(dimension) ?? new Names();
    this.#names.set(dimension, known);
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
  add(table: number, keys: FlatRow['keys'], figures: string): boolean {
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
    const known = packer.add(keys, figures, first);
    if (known === undefined) {
      if (table === 0) this.#records.push(record);
      return true;
    }
    const row = { keys, figures };
    const isReplaced = table === 0 && replaces;
    const sum = isReplaced ? row : merged(packer.rowAt(known), row, definition, this.#types[table] ?? []);
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
    const ofRecord = this.#kept.get(record) ?? [];
    ofRecord.push(rows);
    this.#kept.set(record, ofRecord);
  }

  /** Notes what was reported of an attribute. */
  observe(dimension: Dimension, naturalKey: string, value: string): void {
    const values = this.#observed.get(dimension) ?? [];
    this.#observed.set(dimension, values);
    values[this.#namesOf(dimension).numberOf(naturalKey)] = value;
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
      kept: [...this.#kept.values()].flat(),
      observed: this.#observed,
    };
  }

  #withoutReplaced(): PendingRows {
    const flatten = { tables: this.#tables, measureTypes: this.#types };
    const rest = new PendingRows(flatten, this.#duplicates, () => undefined);
    for (const [mainRow, record] of this.#records.entries()) {
      for (const [table, packer] of this.#packers.entries()) {
        const [start, end] =
          table === 0 ? [mainRow, mainRow + 1] : [this.#start(table, record), this.#start(table, record + 1)];
        for (let number = start; number < end; number++) {
          const { keys, figures } = packer.rowAt(number);
          rest.add(table, keys, figures);
        }
      }
      for (const rows of this.#kept.get(record) ?? []) rest.keep(rows);
    }
    for (const rows of this.#kept.get(forGood) ?? []) rest.keep(rows, forGood);
    for (const [dimension, values] of this.#observed)
      for (const [number, naturalKey] of this.#namesOf(dimension).list.entries()) {
        const value = values[number];
        if (value !== undefined) rest.observe(dimension, naturalKey, value);
      }
    return rest;
  }
}

/**
 * Sums the additive measures of both rows. Everything else is taken from the later row, unless it is null there.
 * Undefined when a sum is more than its column holds.
 */
function merged(
  earlier: FlatRow,
  later: FlatRow,
  { measures }: TableDefinition,
  types: readonly SqlType[],
): FlatRow | undefined {
  const before = readFigures(earlier.figures);
  const figures: (string | null)[] = [];
  for (const [index, figure] of readFigures(later.figures).entries()) {
    const known = before[index] ?? null;
    if (figure === null || known === null || measures[index]?.additive !== true)
      figures.push(figure ?? known);
    else {
      const sum = new Big(known).plus(new Big(figure)).toFixed();
      if (types[index] === 'bigint' && BigInt(sum) > largestBigint) return undefined;
      figures.push(sum);
    }
  }
  return {
    keys: later.keys.map((key, index) => key ?? earlier.keys[index] ?? null),
    figures: rewriteFigures(figures),
  };
}
