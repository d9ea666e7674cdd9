/**
 * Flattens one parsed record into rows per table, by the record's zod schema and a tree of tables. This code knows no
 * endpoint: the differences between endpoints are data.
 */

import { describe } from '../model/describe-value.ts';
import type { Source } from '../model/source.ts';
import type { EntryPosition, StoredTable } from '../model/table.ts';
import { entriesOf, isAbsent, withStorableCharacters } from './breakdown.ts';
import { nameOf } from './column-reader.ts';
import { exampleOf, noteFields, reasonFor } from './drift.ts';
import { type Entry, isEntry, UnreadableEntry } from './entry.ts';
import type { RecordSink } from './flat-record.ts';
import { type ChildNode, nodesOf, prepareNode, type RecordNode } from './record-node.ts';
import { textOf, writeFigures, writeValues } from './row-text.ts';

/** What flattening must know of a source. */
export type FlatSource = Pick<Source, 'schema' | 'root' | 'duplicates'>;

/** Flattens one record into a sink. `tables[0]` has one row for each record. */
export interface Flatten {
  (row: unknown, sink: RecordSink): void;
  /** Rejects a record. The stored rows with the key of the record stay. */
  readonly reject: (row: unknown, reason: string, sink: RecordSink) => void;
  /** For each of `tables` the path of the entries that become its rows, such as `by_user[]`. */
  readonly paths: readonly string[];
  readonly tables: readonly StoredTable[];
}

const prepared = new WeakMap<FlatSource, Flatten>();

/**
 * The flatten function of a source, built once. `schema` describes the whole record, breakdowns included. An invalid
 * record or entry is rejected alone; all others load. Throws `TypeError` when schema and tables do not match.
 */
export function flattenOf(source: FlatSource): Flatten {
  const known = prepared.get(source);
  if (known !== undefined) return known;
  const made = prepare(source);
  prepared.set(source, made);
  return made;
}

function prepare({ schema, root: definition }: FlatSource): Flatten {
  const tables: StoredTable[] = [];
  const root = prepareNode(schema, definition, [], tables);
  const flatten = (row: unknown, sink: RecordSink) => flattenEntry(root, row, [], atRoot, sink);
  const reject = (row: unknown, reason: string, sink: RecordSink) =>
    rejectEntry(root, row, [], atRoot, () => reason, sink);
  return Object.assign(flatten, { reject, tables, paths: nodesOf(root).map(({ path }) => path) });
}

const atRoot: EntryPosition = { index: 0, above: undefined };
const noValues: readonly unknown[] = [];

function flattenEntry(
  node: RecordNode,
  entry: unknown,
  parentKeys: readonly string[],
  at: EntryPosition,
  sink: RecordSink,
): void {
  const values = isEntry(entry) ? node.valuesOf(entry) : noValues;
  const isAsUsual = isEntry(entry) && hasExactlyKnownFields(values, entry);
  if (!isEntry(entry) || !accepts(node, values) || (!isAsUsual && isOfAnotherKind(node, entry))) {
    rejectEntry(node, entry, parentKeys, at, () => reasonFor(node, entry), sink);
    return;
  }
  if (!isAsUsual) noteFields(node, entry, sink);
  const { ownNames } = node;
  // The array has its final length at once: an array that grows reserves room for sixteen more elements.
  const inherited = parentKeys.length;
  const keys = new Array<string | null>(inherited + ownNames.length);
  for (let index = 0; index < inherited; index++) keys[index] = parentKeys[index] ?? null;
  for (let index = 0; index < ownNames.length; index++) {
    const reader = ownNames[index];
    const name = reader === undefined ? null : nameOf(reader, values, at);
    keys[inherited + index] = name;
    if (index < node.ownKeyCount && name === null) {
      rejectEntry(node, entry, parentKeys, at, () => 'expected an identity, got none', sink);
      return;
    }
  }
  if (!sink.row(node.index, keys, rowText(node, values, at))) {
    rejectEntry(node, entry, parentKeys, at, () => tooLargeSum, sink);
    return;
  }
  for (const { dimension, attribute, key, read } of node.observers) {
    const naturalKey = keys[inherited + key];
    const value = textOf(read(values, at));
    if (typeof naturalKey === 'string' && (value !== null || attribute.follows === 'seen'))
      sink.observed(dimension, attribute, naturalKey, value);
  }
  if (node.children.length === 0) return;
  const entryKeys = keys.slice(0, inherited + node.ownKeyCount).map(String);
  for (const child of node.children) flattenBreakdown(child, entry, values, entryKeys, sink);
}

function rowText({ values: readers }: RecordNode, values: readonly unknown[], at: EntryPosition): string {
  const { positions, room, reads } = readers;
  if (reads !== undefined) return writeValues(reads.map((read) => read(values, at)));
  for (let index = 0; index < room.length; index++) room[index] = values[positions[index] ?? 0];
  return writeFigures(room);
}

/**
 * Rejects an entry. The stored row with its key stays, and all stored rows below that. When its key cannot be read, all
 * stored rows below its parent stay.
 */
function rejectEntry(
  node: RecordNode,
  entry: unknown,
  parentKeys: readonly string[],
  at: EntryPosition,
  reason: () => string,
  sink: RecordSink,
): void {
  const isUnreadable = entry instanceof UnreadableEntry;
  sink.rejected(node.path, reason, isUnreadable ? entry.payload : entry);
  const readable = isUnreadable ? entry.readable : entry;
  const values = isEntry(readable) ? node.valuesOf(readable) : noValues;
  const own = node.ownNames.slice(0, node.ownKeyCount).map((reader) => nameOf(reader, values, at));
  const identity = own.every((key) => key !== null) ? [...parentKeys, ...own] : parentKeys;
  // A rejected record has no row that a later record could replace, so what it keeps stays in any case.
  const keep = node.path === '' ? sink.keptForGood : sink.kept;
  for (const table of node.subtree) keep({ table, leadingKeys: identity });
}

const tooLargeSum =
  'expected a sum with the earlier entry of the same identity up to 9223372036854775807, got a larger one';

function accepts({ checks }: RecordNode, values: readonly unknown[]): boolean {
  for (const check of checks) if (!check.accepts(values[check.position])) return false;
  return true;
}

/** Whether an entry has a field of another kind of entry. */
function isOfAnotherKind({ foreignFields }: RecordNode, entry: Entry): boolean {
  return foreignFields.some((field) => !isAbsent(entry[field]));
}

/** Whether an entry has all known fields and no other fields. `values` are the values of the known fields. */
function hasExactlyKnownFields(values: readonly unknown[], entry: Entry): boolean {
  for (const value of values) if (value === undefined) return false;
  let count = 0;
  // `Object.keys` would allocate a list per entry.
  for (const _ in entry) count += 1;
  return count === values.length;
}

function flattenBreakdown(
  child: ChildNode,
  above: Entry,
  values: readonly unknown[],
  parentKeys: readonly string[],
  sink: RecordSink,
): void {
  const { node } = child;
  const { positions } = child;
  const breakdown =
    positions.length === 1 ? values[positions[0] ?? 0] : positions.map((position) => values[position]);
  const pieces = entriesOf(child.shape, breakdown);
  if (pieces === undefined) {
    noteBreakdown(child, breakdown, parentKeys, sink);
    return;
  }
  const at = { index: 0, above };
  for (const { records, mayHoldUnstorableCharacters } of pieces)
    for (const record of records) {
      const entry = mayHoldUnstorableCharacters ? withStorableCharacters(record, node.path, sink) : record;
      flattenEntry(node, entry, parentKeys, at, sink);
      at.index += 1;
    }
}

/** Reports a missing or invalid breakdown. Its stored rows stay, unless it is missing and may be. */
function noteBreakdown(
  { path, shape, mayBeAbsent, node }: ChildNode,
  breakdown: unknown,
  parentKeys: readonly string[],
  sink: RecordSink,
): void {
  const lists: readonly unknown[] = shape === 'beside' && Array.isArray(breakdown) ? breakdown : [breakdown];
  const isMissing = lists.every(isAbsent);
  if (isMissing && mayBeAbsent) return;
  for (const table of node.subtree) sink.kept({ table, leadingKeys: parentKeys });
  const example = () => (isMissing ? (breakdown === null ? 'null' : 'absent') : exampleOf(breakdown));
  sink.drifted({ path, kind: 'missing_field', example });
  if (isMissing) return;
  const expected = shape === 'pair' || shape === 'keyed' ? 'an object' : 'an array';
  const got = () =>
    lists
      .filter((list) => !isAbsent(list))
      .map((list) => describe(list))
      .join(', ');
  sink.rejected(path, () => `expected ${expected}, got ${got()}`, breakdown);
}
