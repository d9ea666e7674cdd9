/**
 * Turns one parsed payload row into rows per table, driven by the row's zod schema and a tree of tables.
 * No endpoint is known here: what differs between endpoints is data.
 */
import type { SqlType } from '../model/fields.ts';
import { ExactNumber, joinPath, replaceUnstorableCharacters } from '../model/json.ts';
import type { DailySource } from '../model/source.ts';
import { partSeparator, type TableDefinition } from '../model/table.ts';
import { writeFigures } from './figures.ts';
import type { RecordSink } from './flat-record.ts';
import { LargeBreakdown, type ParsedRecords } from './parse-records.ts';
import {
  type ChildNode,
  type Entry,
  type EntryShape,
  nodesOf,
  prepareNode,
  type RecordNode,
  type ReferenceReader,
} from './record-node.ts';

/** Gives a sink what one payload row becomes, and does nothing else. `tables[0]` holds the row itself. */
export interface Flatten {
  (row: unknown, sink: RecordSink): void;
  /** Rejects a payload row, whatever is in it. What the warehouse holds under its identity stays. */
  readonly reject: (row: unknown, reason: string, sink: RecordSink) => void;
  /** Where the records of each table stand, such as `by_user[]`, in the order of `tables`. */
  readonly paths: readonly string[];
  readonly tables: readonly TableDefinition[];
  /** Column types of the measures, per table in the order of `tables`. */
  readonly measureTypes: readonly (readonly SqlType[])[];
}

const prepared = new WeakMap<DailySource, Flatten>();

/**
 * The flatten function of a source, built once.
 *
 * Its `schema` describes the whole payload row. Fields named in `breakdowns` hold arrays of objects, arrays of text
 * (each becomes an entry with the field `value`) or maps (entries with `key` and `value`). All others are the
 * row's own. A row or entry that its schema refuses is rejected alone: its siblings load.
 */
export function flattenOf(source: DailySource): Flatten {
  const known = prepared.get(source);
  if (known !== undefined) return known;
  const made = prepare(source);
  prepared.set(source, made);
  return made;
}

function prepare({ schema, root: definition }: DailySource): Flatten {
  const tables: TableDefinition[] = [];
  const root = prepareNode(schema, definition, 0, tables);
  const flatten = (row: unknown, sink: RecordSink) => flattenEntry(root, row, [], sink);
  const reject = (row: unknown, reason: string, sink: RecordSink) =>
    rejectEntry(root, row, isObject(row) ? root.valuesOf(row) : noValues, [], reason, sink);
  const nodes = nodesOf(root);
  const paths = nodes.map(({ path }) => path);
  return Object.assign(flatten, {
    reject,
    tables,
    paths,
    measureTypes: nodes.map((node) => node.measureTypes),
  });
}

function flattenEntry(
  node: RecordNode,
  entry: unknown,
  parentKeys: readonly string[],
  sink: RecordSink,
): void {
  const values = isObject(entry) ? node.valuesOf(entry) : noValues;
  if (!isObject(entry) || !accepts(node, values)) {
    rejectEntry(node, entry, values, parentKeys, reasonFor(node, entry), sink);
    return;
  }
  if (!hasExactlyKnownFields(values, entry)) noteFields(node, entry, sink);
  // Made with the length that it needs: an array that grows takes room for sixteen more.
  const inherited = parentKeys.length;
  const keys = new Array<string | null>(inherited + node.ownReferences.length);
  for (let index = 0; index < inherited; index++) keys[index] = parentKeys[index] ?? null;
  for (let index = 0; index < node.ownReferences.length; index++) {
    const naturalKey = naturalKeyOf(node.ownReferences[index], values);
    keys[inherited + index] = naturalKey;
    if (index < node.ownKeyCount && naturalKey === null) {
      rejectEntry(node, entry, values, parentKeys, 'expected an identity, got none', sink);
      return;
    }
  }
  const { figures } = node;
  for (let index = 0; index < figures.length; index++)
    figures[index] = values[node.measurePositions[index] ?? 0];
  if (!sink.row(node.table, keys, writeFigures(figures))) {
    rejectEntry(node, entry, values, parentKeys, tooLargeSum, sink);
    return;
  }
  for (const { reference, key, position } of node.observers) {
    const [naturalKey, value] = [keys[inherited + key], values[position]];
    if (typeof value === 'string' && typeof naturalKey === 'string')
      sink.observed(reference.dimension, naturalKey, value);
  }
  if (node.children.length === 0) return;
  const entryKeys = keys.slice(0, node.keyCount).map(String);
  for (const child of node.children) flattenBreakdown(child, values[child.position], entryKeys, sink);
}

/**
 * Rejects an entry. The rows that the warehouse has under its identity stay, its own and all below it. Where a part of
 * the identity cannot be read, all rows below its parent stay.
 */
function rejectEntry(
  node: RecordNode,
  entry: unknown,
  values: readonly unknown[],
  parentKeys: readonly string[],
  reason: string,
  sink: RecordSink,
): void {
  sink.rejected({ path: node.path, reason, payload: entry });
  const own = node.ownReferences.slice(0, node.ownKeyCount).map((reader) => naturalKeyOf(reader, values));
  const identity = own.every((key) => key !== null) ? [...parentKeys, ...own] : parentKeys;
  // A whole record that is rejected leaves no row that a later record could replace.
  const keep = node.path === '' ? sink.keptForGood : sink.kept;
  for (const table of node.subtree) keep({ table, leadingKeys: identity });
}

const noValues: readonly unknown[] = [];
const tooLargeSum =
  'expected figures that can be added to those of an earlier entry with the same identity, got a sum beyond 9223372036854775807';

function accepts({ checks }: RecordNode, values: readonly unknown[]): boolean {
  for (const check of checks) if (!check.accepts(values[check.position])) return false;
  return true;
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
  breakdown: unknown,
  parentKeys: readonly string[],
  sink: RecordSink,
): void {
  const { path } = child;
  const entries = entriesOf(child.shape, breakdown);
  if (entries === undefined) {
    for (const table of child.node.subtree) sink.kept({ table, leadingKeys: parentKeys });
    const isAbsent = breakdown === undefined || breakdown === null;
    const example = isAbsent ? (breakdown === null ? 'null' : 'absent') : exampleOf(breakdown);
    sink.surprised({ path, kind: 'missing_field', example });
    if (!isAbsent)
      sink.rejected({
        path,
        reason: `expected ${child.shape === 'pair' ? 'an object' : 'an array'}, got ${Array.isArray(breakdown) ? 'an array' : typeof breakdown}`,
        payload: breakdown,
      });
    return;
  }
  for (const { records, mayHoldUnstorableCharacters } of entries)
    for (const entry of records)
      flattenEntry(
        child.node,
        mayHoldUnstorableCharacters ? withStorableCharacters(entry, child.node.path, sink) : entry,
        parentKeys,
        sink,
      );
}

/** The same with U+FFFD for what Postgres text cannot hold. Tells the sink of each text that changed. */
export function withStorableCharacters(entry: unknown, path: string, sink: RecordSink): unknown {
  return replaceUnstorableCharacters(
    entry,
    (changed, text) =>
      sink.surprised({ path: changed, kind: 'replaced_character', example: text.slice(0, 200) }),
    path,
  );
}

/** The entries of a breakdown, in pieces; undefined when it has another shape. */
function entriesOf(shape: EntryShape, breakdown: unknown): Iterable<ParsedRecords> | undefined {
  if (breakdown instanceof LargeBreakdown) {
    if (breakdown.isArray !== (shape !== 'pair')) return undefined;
    return shape === 'text' ? asEntries(breakdown.entries()) : breakdown.entries();
  }
  if (shape === 'pair') {
    if (!isObject(breakdown)) return undefined;
    return [ofText(Object.entries(breakdown).map(([key, value]) => ({ key, value })))];
  }
  if (!Array.isArray(breakdown)) return undefined;
  return [ofText(shape === 'object' ? breakdown : breakdown.map((value: unknown) => ({ value })))];
}

/** Entries of a record whose characters were checked already, with the whole record. */
function ofText(records: readonly unknown[]): ParsedRecords {
  return { records, mayHoldUnstorableCharacters: false };
}

function* asEntries(pieces: Iterable<ParsedRecords>): Generator<ParsedRecords> {
  for (const piece of pieces) yield { ...piece, records: piece.records.map((value) => ({ value })) };
}

function isObject(value: unknown): value is Entry {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    // In the payload this is a number.
    !(value instanceof ExactNumber) &&
    !(value instanceof LargeBreakdown)
  );
}

function noteFields(node: RecordNode, entry: Entry, sink: RecordSink): void {
  const { path } = node;
  for (const field in entry) {
    if (node.knownFields.includes(field)) continue;
    sink.surprised({
      path: joinPath(path, field),
      kind: 'unknown_field',
      example: exampleOf(entry[field]),
    });
  }
  for (const field of node.expected) {
    if (entry[field] === undefined)
      sink.surprised({ path: joinPath(path, field), kind: 'missing_field', example: 'absent' });
  }
}

function exampleOf(value: unknown): string {
  try {
    return String(JSON.stringify(value)).slice(0, 200);
  } catch (error) {
    if (error instanceof RangeError) return 'nested too deeply to be shown';
    throw error;
  }
}

/** The natural key that a reference reads from the values of an entry, or null when a part has no value. */
function naturalKeyOf(reader: ReferenceReader | undefined, values: readonly unknown[]): string | null {
  let naturalKey: string | null = null;
  for (const { position, convert } of reader?.parts ?? []) {
    const value = convert === undefined ? values[position] : convert(values[position]);
    if (typeof value !== 'string') return null;
    naturalKey = naturalKey === null ? value : naturalKey + partSeparator + value;
  }
  return naturalKey;
}

function reasonFor(node: RecordNode, entry: unknown): string {
  // Absent fields are named, too: zod would call a missing name wrong.
  const fields = isObject(entry) ? node.knownFields.map((field) => [field, entry[field]]) : [];
  const issues = node.schema.safeParse(Object.fromEntries(fields)).error?.issues ?? [];
  if (!isObject(entry) || issues.length === 0)
    return `expected an object, got ${Array.isArray(entry) ? 'an array' : String(JSON.stringify(entry)).slice(0, 60)}`;
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join('; ');
}
