/**
 * Turns one parsed payload row into rows per table, driven by the row's zod schema and a tree of tables.
 * No endpoint is known here: what differs between endpoints is data.
 */

import { describe } from '../model/fields.ts';
import type { Source } from '../model/source.ts';
import type { At, StoredTable } from '../model/table.ts';
import { entriesOf, isAbsent, withStorableCharacters } from './breakdown.ts';
import { nameOf } from './column-reader.ts';
import { exampleOf, noteFields, reasonFor } from './drift.ts';
import { type Entry, isEntry, UnreadableEntry } from './entry.ts';
import type { RecordSink } from './flat-record.ts';
import { type ChildNode, nodesOf, prepareNode, type RecordNode } from './record-node.ts';
import { textOf, writeFigures, writeValues } from './row-text.ts';

/** What flattening must know of a source. */
export type FlatSource = Pick<Source, 'schema' | 'root' | 'duplicates'>;

/** Gives a sink what one payload row becomes, and does nothing else. `tables[0]` holds the row itself. */
export interface Flatten {
  (row: unknown, sink: RecordSink): void;
  /** Rejects a payload row, whatever is in it. What the warehouse holds under its identity stays. */
  readonly reject: (row: unknown, reason: string, sink: RecordSink) => void;
  /** Where the records of each table stand, such as `by_user[]`, in the order of `tables`. */
  readonly paths: readonly string[];
  readonly tables: readonly StoredTable[];
}

const prepared = new WeakMap<FlatSource, Flatten>();

/**
 * The flatten function of a source, built once. Its `schema` describes the whole payload row, breakdowns included. A
 * row or entry that its schema refuses is rejected alone: its siblings load. Throws `TypeError` when schema and tables
 * do not fit together.
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

const atRoot: At = { index: 0, above: undefined };
const noValues: readonly unknown[] = [];

function flattenEntry(
  node: RecordNode,
  entry: unknown,
  parentKeys: readonly string[],
  at: At,
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
  // Made with the length that it needs: an array that grows takes room for sixteen more.
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

function rowText({ values: readers }: RecordNode, values: readonly unknown[], at: At): string {
  const { positions, room, reads } = readers;
  if (reads !== undefined) return writeValues(reads.map((read) => read(values, at)));
  for (let index = 0; index < room.length; index++) room[index] = values[positions[index] ?? 0];
  return writeFigures(room);
}

/**
 * Rejects an entry. The rows that the warehouse has under its identity stay, its own and all below it. Where a part of
 * the identity cannot be read, all rows below its parent stay.
 */
function rejectEntry(
  node: RecordNode,
  entry: unknown,
  parentKeys: readonly string[],
  at: At,
  reason: () => string,
  sink: RecordSink,
): void {
  const isUnreadable = entry instanceof UnreadableEntry;
  sink.rejected(node.path, reason, isUnreadable ? entry.payload : entry);
  const readable = isUnreadable ? entry.readable : entry;
  const values = isEntry(readable) ? node.valuesOf(readable) : noValues;
  const own = node.ownNames.slice(0, node.ownKeyCount).map((reader) => nameOf(reader, values, at));
  const identity = own.every((key) => key !== null) ? [...parentKeys, ...own] : parentKeys;
  // A whole record that is rejected leaves no row that a later record could replace.
  const keep = node.path === '' ? sink.keptForGood : sink.kept;
  for (const table of node.subtree) keep({ table, leadingKeys: identity });
}

const tooLargeSum =
  'expected figures that can be added to those of an earlier entry with the same identity, got a sum beyond 9223372036854775807';

function accepts({ checks }: RecordNode, values: readonly unknown[]): boolean {
  for (const check of checks) if (!check.accepts(values[check.position])) return false;
  return true;
}

/** Whether an entry has a field that only entries of another kind have. */
function isOfAnotherKind({ foreignFields }: RecordNode, entry: Entry): boolean {
  return foreignFields.some((field) => !isAbsent(entry[field]));
}

/** Whether an entry has every known field and no other. `values` are those of its known fields. */
function hasExactlyKnownFields(values: readonly unknown[], entry: Entry): boolean {
  for (const value of values) if (value === undefined) return false;
  let count = 0;
  // `Object.keys` would make a list for each entry.
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

/** A breakdown that is absent, or no breakdown. Unless it may be absent, the rows that it fed stay as they are. */
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
