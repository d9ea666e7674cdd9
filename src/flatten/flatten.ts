/**
 * Turns one parsed payload row into rows per table, driven by the row's zod schema and a tree of tables.
 * No endpoint is known here: what differs between endpoints is data.
 */
import type { SqlType } from '../model/fields.ts';
import { ExactNumber, joinPath } from '../model/json.ts';
import type { DailySource } from '../model/source.ts';
import { partSeparator, type TableDefinition } from '../model/table.ts';
import { writeFigures } from './figures.ts';
import type { RecordSink } from './flat-record.ts';
import {
  type ChildNode,
  type Entry,
  type EntryShape,
  nodesOf,
  prepareNode,
  type RecordNode,
  type ReferenceReader,
} from './record-node.ts';

/** Gives a sink what one payload row becomes, and does nothing else; `tables[0]` holds the row itself. */
export interface Flatten {
  (row: unknown, sink: RecordSink): void;
  readonly tables: readonly TableDefinition[];
  /** Column types of the measures, per table in the order of `tables`. */
  readonly measureTypes: readonly (readonly SqlType[])[];
}

const prepared = new WeakMap<DailySource, Flatten>();

/**
 * The flatten function of a source, built once.
 *
 * Its `schema` describes the whole payload row. Fields named in `breakdowns` hold arrays of objects, arrays of text
 * (each becomes an entry with the field `value`) or maps (entries with `key` and `value`); all others are the
 * row's own. A row or entry that its schema refuses is rejected alone; its siblings load.
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
  const flatten = (row: unknown, sink: RecordSink) => flattenEntry(root, row, '', [], sink);
  const measureTypes = nodesOf(root).map((node) => node.measureTypes);
  return Object.assign(flatten, { tables, measureTypes });
}

function flattenEntry(
  node: RecordNode,
  entry: unknown,
  path: string,
  parentKeys: readonly string[],
  sink: RecordSink,
): void {
  const values = isObject(entry) ? node.valuesOf(entry) : noValues;
  if (!isObject(entry) || !accepts(node, values)) {
    sink.rejected({ path, reason: reasonFor(node, entry), payload: entry });
    return;
  }
  if (!hasExactlyKnownFields(values, entry)) noteFields(node, entry, path, sink);
  // Arrays of the length that is needed: one that grows takes room for sixteen more.
  const inherited = parentKeys.length;
  const keys = new Array<string | null>(inherited + node.ownReferences.length);
  for (let index = 0; index < inherited; index++) keys[index] = parentKeys[index] ?? null;
  for (let index = 0; index < node.ownReferences.length; index++) {
    const naturalKey = naturalKeyOf(node.ownReferences[index], values);
    keys[inherited + index] = naturalKey;
    if (index < node.ownKeyCount && naturalKey === null) {
      sink.rejected({ path, reason: 'expected an identity, got none', payload: entry });
      return;
    }
  }
  const { figures } = node;
  for (let index = 0; index < figures.length; index++)
    figures[index] = values[node.measurePositions[index] ?? 0];
  sink.row(node.table, keys, writeFigures(figures));
  for (const { reference, key, position } of node.observers) {
    const [naturalKey, value] = [keys[inherited + key], values[position]];
    if (typeof value === 'string' && typeof naturalKey === 'string')
      sink.observed(reference.dimension, naturalKey, value);
  }
  if (node.children.length === 0) return;
  const entryKeys = keys.slice(0, node.keyCount).map(String);
  for (const child of node.children) flattenBreakdown(child, values[child.position], path, entryKeys, sink);
}

const noValues: readonly unknown[] = [];

function accepts({ checks }: RecordNode, values: readonly unknown[]): boolean {
  for (const check of checks) if (!check.accepts(values[check.position])) return false;
  return true;
}

/** Whether an entry has all fields that are known, of which these are the values, and no other. */
function hasExactlyKnownFields(values: readonly unknown[], entry: Entry): boolean {
  for (const value of values) if (value === undefined) return false;
  let count = 0;
  // Other than asking for all names, this makes no list of them.
  for (const _ in entry) count += 1;
  return count === values.length;
}

function flattenBreakdown(
  child: ChildNode,
  breakdown: unknown,
  parentPath: string,
  parentKeys: readonly string[],
  sink: RecordSink,
): void {
  const path = joinPath(parentPath, child.field);
  const entries = entriesOf(child.shape, breakdown);
  if (entries === undefined) {
    for (const table of child.node.subtree) sink.kept({ table, leadingKeys: parentKeys });
    if (breakdown === undefined || breakdown === null)
      sink.surprised({ path, kind: 'missing_field', example: breakdown === null ? 'null' : 'absent' });
    else
      sink.rejected({
        path,
        reason: `expected ${child.shape === 'pair' ? 'an object' : 'an array'}, got ${Array.isArray(breakdown) ? 'an array' : typeof breakdown}`,
        payload: breakdown,
      });
    return;
  }
  const entryPath = `${path}[]`;
  for (const entry of entries) flattenEntry(child.node, entry, entryPath, parentKeys, sink);
}

function entriesOf(shape: EntryShape, breakdown: unknown): unknown[] | undefined {
  if (shape === 'pair') {
    if (!isObject(breakdown)) return undefined;
    return Object.entries(breakdown).map(([key, value]) => ({ key, value }));
  }
  if (!Array.isArray(breakdown)) return undefined;
  return shape === 'object' ? breakdown : breakdown.map((value: unknown) => ({ value }));
}

function isObject(value: unknown): value is Entry {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    // A number of the payload, however it is held here.
    !(value instanceof ExactNumber)
  );
}

function noteFields(node: RecordNode, entry: Entry, path: string, sink: RecordSink): void {
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
  const { error } = node.schema.safeParse(entry);
  const issues = error?.issues ?? [];
  if (!isObject(entry) || issues.length === 0)
    return `expected an object, got ${Array.isArray(entry) ? 'an array' : String(JSON.stringify(entry)).slice(0, 60)}`;
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join('; ');
}
