/**
 * The rows of one table until the slice is complete: names as numbers, values as bytes. As objects the rows would cost
 * the garbage collector much time.
 */

import type { StoredTable } from '../model/table.ts';
import type { FlatRow } from './flat-record.ts';

/** Rows of one table. */
export interface PackedRows {
  readonly length: number;
  /** For each of the table's `namedColumns` its distinct names. */
  readonly names: readonly (readonly string[])[];
  /** For each row and named column the index of its name in `names`; `noName` for null. */
  readonly keys: Int32Array;
  /** The values of all rows, as `row-text.ts` writes them. */
  readonly values: Buffer;
  /** The beginning and end of each row in `values`. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Stands in `keys` for null. */
export const noName = -1;

/** Gives numbers to the natural keys of a dimension, or to the texts of a key, in the order in which they come. */
export class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of a name; a new name gets the next number. */
  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.list.length);
    return this.list.push(name) - 1;
  }
}

/** Packs rows and finds duplicate keys. */
export class RowPacker {
  readonly #names: readonly Names[];
  readonly #keyCount: number;
  /** The last name of each column and its number: consecutive rows often share names. */
  readonly #lastNames: (string | null)[];
  readonly #lastNumbers: number[];
  /**
   * A hash table of keys. A place has the number of the last row with a key, plus one; 0 means that the place is free. The
   * length is a power of two, and at least twice the number of rows.
   */
  #places: Int32Array = new Int32Array(2 * initialRows);
  #keys: Int32Array;
  #starts: Int32Array = new Int32Array(initialRows);
  #ends: Int32Array = new Int32Array(initialRows);
  #values: Buffer = Buffer.allocUnsafeSlow(initialRows * 32);
  #used = 0;
  #length = 0;

  /** `names` has one `Names` for each named column; references to the same dimension share one. */
  constructor(table: StoredTable, names: readonly Names[]) {
    this.#names = names;
    this.#keyCount = table.keys.length;
    this.#lastNames = names.map(() => null);
    this.#lastNumbers = names.map(() => noName);
    this.#keys = new Int32Array(initialRows * names.length);
  }

  /** Number of rows. */
  get length(): number {
    return this.#length;
  }

  /** Adds a row. If row `first` or a later one has the same key, adds nothing and returns the number of that row. */
  add(keys: FlatRow['keys'], values: string, first: number): number | undefined {
    const number = this.#length;
    this.#keys = withRoom(this.#keys, (number + 1) * this.#names.length);
    this.#writeKeys(number, keys, 0);
    const place = this.#placeOf(number);
    const known = (this.#places[place] ?? 0) - 1;
    if (known >= first) return known;
    this.#places[place] = number + 1;
    this.#starts = withRoom(this.#starts, number + 1);
    this.#ends = withRoom(this.#ends, number + 1);
    this.#length += 1;
    this.#writeValues(number, values);
    if (2 * this.#length > this.#places.length) this.#makePlaces();
    return undefined;
  }

  /** The row with the given number. */
  rowAt(number: number): FlatRow {
    const width = this.#names.length;
    const keys = this.#names.map(
      ({ list }, position) => list[this.#keys[number * width + position] ?? noName] ?? null,
    );
    return { keys, values: this.#values.toString('utf8', this.#starts[number], this.#ends[number]) };
  }

  /** Replaces a row by another one with the same key. */
  replace(number: number, { keys, values }: FlatRow): void {
    this.#writeKeys(number, keys, this.#keyCount);
    this.#writeValues(number, values);
  }

  /** All rows. Nothing may be added afterwards. */
  pack(): PackedRows {
    return {
      length: this.#length,
      names: this.#names.map(({ list }) => list),
      keys: this.#keys.subarray(0, this.#length * this.#names.length),
      values: this.#values.subarray(0, this.#used),
      starts: this.#starts.subarray(0, this.#length),
      ends: this.#ends.subarray(0, this.#length),
    };
  }

  #writeKeys(number: number, keys: FlatRow['keys'], first: number): void {
    const width = this.#names.length;
    for (let position = first; position < width; position++) {
      const name = keys[position] ?? null;
      if (name !== this.#lastNames[position]) {
        this.#lastNames[position] = name;
        this.#lastNumbers[position] =
          name === null ? noName : (this.#names[position]?.numberOf(name) ?? noName);
      }
      this.#keys[number * width + position] = this.#lastNumbers[position] ?? noName;
    }
  }

  #writeValues(number: number, values: string): void {
    // A row of figures is ASCII. In any other row a UTF-16 unit takes at most three bytes.
    const isAscii = values.charCodeAt(0) === 0x5b;
    const most = this.#used + (isAscii ? values.length : 3 * values.length);
    if (most > this.#values.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, this.#values.length * 2));
      this.#values.copy(larger, 0, 0, this.#used);
      this.#values = larger;
    }
    this.#starts[number] = this.#used;
    this.#used += this.#values.write(values, this.#used, isAscii ? 'latin1' : 'utf8');
    this.#ends[number] = this.#used;
  }

  /** The index in `#places` for the key of a row: where the last row with this key is, or a free place. */
  #placeOf(row: number): number {
    const start = row * this.#names.length;
    let hash = 0;
    for (let position = 0; position < this.#keyCount; position++) {
      hash = Math.imul(hash ^ (this.#keys[start + position] ?? 0), hashFactor);
      hash ^= hash >>> 15;
    }
    const mask = this.#places.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const known = (this.#places[place] ?? 0) - 1;
      if (known < 0 || this.#haveSameKey(known, row)) return place;
    }
  }

  #haveSameKey(one: number, other: number): boolean {
    const width = this.#names.length;
    for (let position = 0; position < this.#keyCount; position++)
      if (this.#keys[one * width + position] !== this.#keys[other * width + position]) return false;
    return true;
  }

  #makePlaces(): void {
    this.#places = new Int32Array(2 * this.#places.length);
    // The rows are entered in their order, so that the last row with a key stays.
    for (let row = 0; row < this.#length; row++) this.#places[this.#placeOf(row)] = row + 1;
  }
}

const initialRows = 16;
/** Multiplying by it spreads adjacent numbers: 2^32 divided by the golden ratio, made odd. */
const hashFactor = 0x9e3779b1;

function withRoom(values: Int32Array, needed: number): Int32Array {
  if (needed <= values.length) return values;
  const larger = new Int32Array(Math.max(needed, values.length * 2));
  larger.set(values);
  return larger;
}
