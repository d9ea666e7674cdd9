/**
 * Turns one parsed payload row into rows per table, driven by the row's zod schema and a tree of tables.
 * No endpoint is known here: what differs between endpoints is data.
 */
import { z } from 'zod';
import { type FieldKind, kindOf, type SqlType } from './fields.ts';
import { joinPath } from './json.ts';
import { type Cell, partSeparator, type Reference, referencesOf, type TableDefinition } from './table.ts';

/** The values of one table row: natural keys in the order of `referencesOf(table)`, then measures. */
export type FlatRow = Cell[];

/** A part of a payload that could not be loaded. */
export interface Rejection {
  /** Where it stood, such as `by_user[].by_model[]`; empty for the row itself. */
  readonly path: string;
  /** What was expected and what came. */
  readonly reason: string;
  readonly payload: unknown;
}

/** The kinds of surprise that `etl.drift` counts. */
export type DriftKind =
  | 'unknown_field'
  | 'missing_field'
  | 'duplicate_key'
  | 'replaced_character'
  | 'emptied_slice';

/** Something unexpected in a payload that did not prevent loading. */
export interface Drift {
  readonly path: string;
  readonly kind: DriftKind;
  readonly example: string;
}

/** Rows of a table that stay as they are, because the payload lacks the breakdown that feeds them. */
export interface KeptRows {
  /** Index into `Flatten.tables`. */
  readonly table: number;
  /** Natural keys of the row that lacks the breakdown: the leading keys of the rows to keep. Empty: all rows. */
  readonly leadingKeys: readonly string[];
}

/** A dimension attribute as this row reports it. */
export interface Observation {
  readonly reference: Reference;
  readonly naturalKey: string;
  readonly value: string;
}

/** What one payload row becomes. */
export interface FlatRecord {
  /** Rows per table, in the order of `Flatten.tables`. */
  readonly rows: readonly FlatRow[][];
  readonly kept: KeptRows[];
  readonly observations: Observation[];
  readonly rejected: Rejection[];
  readonly drift: Drift[];
}

/** A pure function from one payload row to rows per table; `tables[0]` holds the row itself. */
export interface Flatten {
  (row: unknown): FlatRecord;
  readonly tables: readonly TableDefinition[];
  /** Column types of the measures, per table in the order of `tables`. */
  readonly measureTypes: readonly (readonly SqlType[])[];
}

/** A table fed by a breakdown, and the tables fed by breakdowns inside its entries. */
export interface BreakdownTable {
  readonly table: TableDefinition;
  readonly breakdowns: Readonly<Record<string, BreakdownTable>>;
}

/** Says that the entries of a breakdown become rows of `table`. */
export function rowsOf(
  table: TableDefinition,
  breakdowns: Readonly<Record<string, BreakdownTable>> = {},
): BreakdownTable {
  return { table, breakdowns };
}

/**
 * Builds the flatten function of an endpoint.
 *
 * `schema` describes the whole payload row. Fields named in `breakdowns` hold arrays of objects, arrays of text
 * (each becomes an entry with the field `value`) or maps (entries with `key` and `value`); all others are the
 * row's own. A row or entry that its schema refuses is rejected alone; its siblings load.
 */
export function flattener(
  schema: z.ZodObject,
  table: TableDefinition,
  breakdowns: Readonly<Record<string, BreakdownTable>> = {},
): Flatten {
  const tables: TableDefinition[] = [];
  const root = compile(schema, rowsOf(table, breakdowns), 0, tables);
  const flatten = (row: unknown): FlatRecord => {
    const record: FlatRecord = {
      rows: tables.map(() => []),
      kept: [],
      observations: [],
      rejected: [],
      drift: [],
    };
    flattenEntry(root, row, '', [], record);
    return record;
  };
  const measureTypes = nodesOf(root).map((node) => node.measureTypes);
  return Object.assign(flatten, { tables, measureTypes });
}

/** A node and all below it, in the order of `Flatten.tables`. */
function nodesOf(node: Node): Node[] {
  return [node, ...node.children.flatMap((child) => nodesOf(child.node))];
}

type EntryShape = 'object' | 'text' | 'pair';

interface Node {
  /** Explains what is wrong with an entry that some field does not accept. */
  readonly schema: z.ZodObject;
  readonly known: ReadonlySet<string>;
  /** Fields whose absence is drift. */
  readonly expected: readonly string[];
  readonly fields: readonly { readonly name: string; readonly accepts: (value: unknown) => boolean }[];
  readonly table: number;
  readonly ownReferences: readonly ReferenceReader[];
  readonly ownKeyCount: number;
  readonly keyCount: number;
  readonly measureFields: readonly string[];
  readonly measureTypes: readonly SqlType[];
  readonly children: readonly Child[];
  /** This table and all below it. */
  readonly subtree: readonly number[];
}

interface ReferenceReader {
  readonly reference: Reference;
  readonly parts: readonly { readonly field: string; readonly convert: FieldKind['convert'] }[];
}

interface Child {
  readonly field: string;
  readonly shape: EntryShape;
  readonly node: Node;
}

function compile(
  schema: z.ZodObject,
  definition: BreakdownTable,
  inheritedKeys: number,
  tables: TableDefinition[],
): Node {
  const { table, breakdowns } = definition;
  const index = tables.push(table) - 1;
  const children = Object.entries(breakdowns).map(([field, below]): Child => {
    const type = schema.shape[field];
    if (type === undefined) throw new TypeError(`${table.name}: the schema has no field ${field}`);
    const { shape, entry } = entrySchema(type);
    return { field, shape, node: compile(entry, below, table.keys.length, tables) };
  });
  const known = new Set(Object.keys(schema.shape));
  const own = Object.entries(schema.shape).filter(([field]) => !(field in breakdowns));
  const kinds = new Map(own.map(([field, type]) => [field, kindOf(type)]));
  const kind = (field: string): FieldKind => {
    const found = kinds.get(field);
    if (found === undefined) throw new TypeError(`${table.name}: the schema has no field ${field}`);
    return found;
  };
  return {
    schema: z.object(Object.fromEntries(own)),
    known,
    expected: [...kinds].filter(([, { mayBeAbsent }]) => !mayBeAbsent).map(([field]) => field),
    fields: [...kinds].map(([field, { accepts }]) => ({ name: field, accepts })),
    table: index,
    ownReferences: referencesOf(table)
      .slice(inheritedKeys)
      .map((reference) => ({
        reference,
        parts: reference.fields.map((field) => ({ field, convert: kind(field).convert })),
      })),
    ownKeyCount: table.keys.length - inheritedKeys,
    keyCount: table.keys.length,
    measureFields: table.measures.map((measure) => measure.field),
    measureTypes: table.measures.map(({ column, field }) => {
      const { sqlType } = kind(field);
      if (sqlType === undefined) throw new TypeError(`${table.name}.${column}: ${field} is not a figure`);
      return sqlType;
    }),
    children,
    subtree: [index, ...children.flatMap((child) => child.node.subtree)],
  };
}

function entrySchema(type: unknown): { shape: EntryShape; entry: z.ZodObject } {
  if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) return entrySchema(type.unwrap());
  if (type instanceof z.ZodArray && type.element instanceof z.ZodObject)
    return { shape: 'object', entry: type.element };
  if (type instanceof z.ZodArray) return { shape: 'text', entry: z.object({ value: type.element }) };
  if (type instanceof z.ZodRecord)
    return { shape: 'pair', entry: z.object({ key: type.keyType, value: type.valueType }) };
  throw new TypeError('a breakdown must be an array of objects, an array of text or a map');
}

function flattenEntry(
  node: Node,
  entry: unknown,
  path: string,
  parentKeys: readonly string[],
  record: FlatRecord,
): void {
  if (!isObject(entry) || !accepts(node, entry)) {
    record.rejected.push({ path, reason: reasonFor(node, entry), payload: entry });
    return;
  }
  noteFields(node, entry, path, record);
  const values: Cell[] = [...parentKeys];
  const keys: string[] = [...parentKeys];
  for (let index = 0; index < node.ownReferences.length; index++) {
    const naturalKey = naturalKeyOf(node.ownReferences[index], entry);
    values.push(naturalKey);
    if (index >= node.ownKeyCount) continue;
    if (naturalKey === null) {
      record.rejected.push({ path, reason: 'expected an identity, got none', payload: entry });
      return;
    }
    keys.push(naturalKey);
  }
  for (const field of node.measureFields) values.push(cellOf(entry[field]));
  record.rows[node.table]?.push(values);
  noteObservations(node, entry, record);
  for (const child of node.children) flattenBreakdown(child, entry[child.field], path, keys, record);
}

function accepts(node: Node, entry: Record<string, unknown>): boolean {
  for (const field of node.fields) if (!field.accepts(entry[field.name])) return false;
  return true;
}

function flattenBreakdown(
  child: Child,
  breakdown: unknown,
  parentPath: string,
  parentKeys: readonly string[],
  record: FlatRecord,
): void {
  const path = joinPath(parentPath, child.field);
  const entries = entriesOf(child.shape, breakdown);
  if (entries === undefined) {
    for (const table of child.node.subtree) record.kept.push({ table, leadingKeys: parentKeys });
    if (breakdown === undefined || breakdown === null)
      record.drift.push({ path, kind: 'missing_field', example: breakdown === null ? 'null' : 'absent' });
    else
      record.rejected.push({
        path,
        reason: `expected ${child.shape === 'pair' ? 'an object' : 'an array'}, got ${Array.isArray(breakdown) ? 'an array' : typeof breakdown}`,
        payload: breakdown,
      });
    return;
  }
  const entryPath = `${path}[]`;
  for (const entry of entries) flattenEntry(child.node, entry, entryPath, parentKeys, record);
}

function entriesOf(shape: EntryShape, breakdown: unknown): unknown[] | undefined {
  if (shape === 'pair') {
    if (!isObject(breakdown)) return undefined;
    return Object.entries(breakdown).map(([key, value]) => ({ key, value }));
  }
  if (!Array.isArray(breakdown)) return undefined;
  return shape === 'object' ? breakdown : breakdown.map((value: unknown) => ({ value }));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function noteFields(node: Node, entry: Record<string, unknown>, path: string, record: FlatRecord): void {
  let met = 0;
  for (const field in entry) {
    if (node.known.has(field)) met += 1;
    else
      record.drift.push({
        path: joinPath(path, field),
        kind: 'unknown_field',
        example: String(JSON.stringify(entry[field])).slice(0, 200),
      });
  }
  if (met === node.known.size) return;
  for (const field of node.expected) {
    if (entry[field] === undefined)
      record.drift.push({ path: joinPath(path, field), kind: 'missing_field', example: 'absent' });
  }
}

function noteObservations(node: Node, entry: Record<string, unknown>, record: FlatRecord): void {
  for (let index = 0; index < node.ownKeyCount; index++) {
    const reader = node.ownReferences[index];
    const attribute = reader?.reference.dimension.latestAttribute;
    if (reader === undefined || attribute === undefined) continue;
    const value = entry[attribute];
    const naturalKey = naturalKeyOf(reader, entry);
    if (typeof value === 'string' && naturalKey !== null)
      record.observations.push({ reference: reader.reference, naturalKey, value });
  }
}

/** The natural key that a reference reads from an entry, or null when a part has no value. */
function naturalKeyOf(reader: ReferenceReader | undefined, entry: Record<string, unknown>): string | null {
  let naturalKey: string | null = null;
  for (const { field, convert } of reader?.parts ?? []) {
    const value = convert === undefined ? entry[field] : convert(entry[field]);
    if (typeof value !== 'string') return null;
    naturalKey = naturalKey === null ? value : naturalKey + partSeparator + value;
  }
  return naturalKey;
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'number') return value;
  return value === undefined || value === null ? null : String(value);
}

function reasonFor(node: Node, entry: unknown): string {
  const { error } = node.schema.safeParse(entry);
  const issues = error?.issues ?? [];
  if (!isObject(entry) || issues.length === 0)
    return `expected an object, got ${Array.isArray(entry) ? 'an array' : String(JSON.stringify(entry)).slice(0, 60)}`;
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join('; ');
}
