/**
 * The rows of one table while they wait for the rest of their slice: names as numbers, figures as bytes. As objects
 * they would be most of what the garbage collector moves about.
 */
import type { FlatRow } from './flat-record.ts';
import type { TableDefinition } from './table.ts';

/** Rows of one table. */
export interface PackedRows {
  readonly length: number;
  /** Natural keys that rows refer to, per reference in the order of `referencesOf(table)`. */
  readonly names: readonly (readonly string[])[];
  /** Row by row the index into `names` of each reference; `noName` for null. */
  readonly keys: Int32Array;
  /** The figures of all rows, as `writeFigures` writes them. */
  readonly figures: Buffer;
  /** Where in `figures` those of each row begin and end, the brackets included. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Stands for a reference without a value. */
export const noName = -1;

/** Natural keys of one dimension, numbered as they come. */
export class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of a natural key; a new one for one that is new. */
  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.list.length);
    return this.list.push(name) - 1;
  }
}

/** More names than a batch can hold, so that two numbers make one that stands for both. */
const mostNames = 2 ** 26;

/** Packs rows, and finds those whose key is there already. */
export class RowPacker {
  readonly #names: readonly Names[];
  readonly #keyCount: number;
  /** Rows by the number that stands for their key. */
  readonly #rows = new Map<number, number>();
  /** Numbers of the beginnings of keys that have more than two parts. */
  readonly #beginnings = new Map<number, number>();
  #keys: Int32Array;
  #starts: Int32Array = new Int32Array(initialRows);
  #ends: Int32Array = new Int32Array(initialRows);
  #figures: Buffer = Buffer.allocUnsafeSlow(initialRows * 32);
  #used = 0;
  #length = 0;

  /** `names`: those of each reference; references to the same dimension share theirs. */
  constructor(table: TableDefinition, names: readonly Names[]) {
    this.#names = names;
    this.#keyCount = table.keys.length;
    this.#keys = new Int32Array(initialRows * names.length);
  }

  /** Rows so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds a row, unless one from row number `first` on has the same key: its number is returned then. */
  add(row: FlatRow, first: number): number | undefined {
    const number = this.#length;
    this.#keys = withRoom(this.#keys, (number + 1) * this.#names.length);
    this.#writeKeys(number, row, 0);
    const key = this.#keyOf(number);
    const known = this.#rows.get(key);
    if (known !== undefined && known >= first) return known;
    this.#rows.set(key, number);
    this.#starts = withRoom(this.#starts, number + 1);
    this.#ends = withRoom(this.#ends, number + 1);
    this.#length += 1;
    this.#writeFigures(number, row.figures);
    return undefined;
  }

  /** The row with the given number. */
  rowAt(number: number): FlatRow {
    const width = this.#names.length;
    const keys = this.#names.map(
      ({ list }, position) => list[this.#keys[number * width + position] ?? noName] ?? null,
    );
    return { keys, figures: this.#figures.toString('latin1', this.#starts[number], this.#ends[number]) };
  }

  /** Puts another row in the place of one with the same key. */
  replace(number: number, row: FlatRow): void {
    this.#writeKeys(number, row, this.#keyCount);
    this.#writeFigures(number, row.figures);
  }

  /** All rows; nothing may be added any more. */
  pack(): PackedRows {
    return {
      length: this.#length,
      names: this.#names.map(({ list }) => list),
      keys: this.#keys.subarray(0, this.#length * this.#names.length),
      figures: this.#figures.subarray(0, this.#used),
      starts: this.#starts.subarray(0, this.#length),
      ends: this.#ends.subarray(0, this.#length),
    };
  }

  #writeKeys(number: number, { keys }: FlatRow, first: number): void {
    const start = number * this.#names.length;
    for (let position = first; position < this.#names.length; position++) {
      const name = keys[position] ?? null;
      this.#keys[start + position] =
        name === null ? noName : (this.#names[position]?.numberOf(name) ?? noName);
    }
  }

  #writeFigures(number: number, figures: string): void {
    const end = this.#used + figures.length;
    if (end > this.#figures.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, this.#figures.length * 2));
      this.#figures.copy(larger, 0, 0, this.#used);
      this.#figures = larger;
    }
    this.#starts[number] = this.#used;
    // Digits, signs, points, tabs: one byte each.
    this.#figures.write(figures, this.#used, 'latin1');
    this.#ends[number] = end;
    this.#used = end;
  }

  /** One number for the key of a row. */
  #keyOf(row: number): number {
    const start = row * this.#names.length;
    let key = this.#keyCount === 0 ? 0 : (this.#keys[start] ?? 0);
    for (let position = 1; position < this.#keyCount; position++) {
      if (position > 1) key = this.#numberOfBeginning(key);
      key = key * mostNames + (this.#keys[start + position] ?? 0);
    }
    return key;
  }

  #numberOfBeginning(beginning: number): number {
    const number = this.#beginnings.get(beginning) ?? this.#beginnings.size;
    this.#beginnings.set(beginning, number);
    return number;
  }
}

const initialRows = 16;

function withRoom(values: Int32Array, needed: number): Int32Array {
  if (needed <= values.length) return values;
  const larger = new Int32Array(Math.max(needed, values.length * 2));
  larger.set(values);
  return larger;
}
