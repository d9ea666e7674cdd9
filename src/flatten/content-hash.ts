/** The content hash of rows, independent of the order in which the platform lists them. */
import { createHash, type Hash } from 'node:crypto';
import { noName, type PackedRows } from './packed-rows.ts';
import type { Batch, Reported } from './pending-rows.ts';

/**
 * SHA-256 of everything that the warehouse would store of a batch. Sorts names and rows first. Not valid for batches
 * with duplicate keys.
 */
export function batchDigest(batch: Batch): Buffer {
  const hash = createHash('sha256');
  const ranks = new Map<readonly string[], Int32Array>();
  const add = (holder: string, names: readonly string[], reported: readonly Reported[]) => {
    const order = namesInOrder(names);
    ranks.set(names, ranksOf(order));
    const named = order.map((number) => {
      const row: unknown[] = [names[number]];
      for (const values of reported) row.push(shown(values[number]));
      return row;
    });
    addPart(hash, Buffer.from(JSON.stringify([holder, named])));
  };
  for (const [dimension, names] of batch.names)
    add(
      dimension.table,
      names,
      dimension.attributes.map((attribute) => batch.observed.get(attribute) ?? []),
    );
  for (const [column, texts] of batch.texts) add(column, texts, []);
  for (const rows of batch.rows) addRows(hash, rows, ranks);
  const kept = batch.kept.map(({ table, leadingKeys }) => JSON.stringify([table, leadingKeys]));
  addPart(hash, Buffer.from(kept.sort().join('\n')));
  return hash.digest();
}

/** Distinguishes an attribute that is not reported from one that is reported as null. */
function shown(value: string | null | undefined): string | number | null {
  return value === undefined ? null : (value ?? 0);
}

/** Adds bytes with their length before them; otherwise `ab`, `c` and `a`, `bc` would have the same hash. */
function addPart(hash: Hash, bytes: Uint8Array): void {
  hash.update(`${bytes.length}:`).update(bytes);
}

/** The numbers of names, sorted by name. */
function namesInOrder(names: readonly string[]): number[] {
  const numbers = Array.from(names, (_, number) => number);
  const before = (a: number, b: number) => ((names[a] ?? '') < (names[b] ?? '') ? -1 : 1);
  return numbers.every((number) => number === 0 || before(number - 1, number) < 0)
    ? numbers
    : numbers.sort(before);
}

function ranksOf(order: readonly number[]): Int32Array {
  const ranks = new Int32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank] ?? 0] = rank;
  return ranks;
}

function addRows(
  hash: Hash,
  rows: PackedRows,
  ranksOfNames: ReadonlyMap<readonly string[], Int32Array>,
): void {
  const ranks = rankedKeys(rows, ranksOfNames);
  const width = rows.names.length;
  if (isInOrder(ranks, width, rows.length)) {
    addPart(hash, new Uint8Array(ranks.buffer));
    addPart(hash, rows.values);
    return;
  }
  const order = Int32Array.from({ length: rows.length }, (_, row) => row);
  order.sort((a, b) => compareRows(ranks, width, a, b));
  const sorted = new Int32Array(ranks.length);
  const values = Buffer.allocUnsafeSlow(rows.values.length);
  let end = 0;
  for (let position = 0; position < order.length; position++) {
    const row = order[position] ?? 0;
    for (let part = 0; part < width; part++)
      sorted[position * width + part] = ranks[row * width + part] ?? noName;
    end += rows.values.copy(values, end, rows.starts[row], rows.ends[row]);
  }
  addPart(hash, new Uint8Array(sorted.buffer));
  addPart(hash, values.subarray(0, end));
}

/** The ranks of each row's names; `noName` for null. */
function rankedKeys(
  { names, keys, length }: PackedRows,
  ranksOfNames: ReadonlyMap<readonly string[], Int32Array>,
): Int32Array {
  const ofColumns = names.map((list) => ranksOfNames.get(list));
  const width = ofColumns.length;
  const ranked = new Int32Array(keys);
  for (const [position, ranks] of ofColumns.entries())
    for (let row = 0; row < length; row++) {
      const number = keys[row * width + position] ?? noName;
      if (number !== noName) ranked[row * width + position] = ranks?.[number] ?? noName;
    }
  return ranked;
}

function isInOrder(ranks: Int32Array, width: number, length: number): boolean {
  for (let row = 1; row < length; row++) if (compareRows(ranks, width, row - 1, row) > 0) return false;
  return true;
}

function compareRows(ranks: Int32Array, width: number, a: number, b: number): number {
  for (let position = 0; position < width; position++) {
    const difference = (ranks[a * width + position] ?? noName) - (ranks[b * width + position] ?? noName);
    if (difference !== 0) return difference;
  }
  return 0;
}
