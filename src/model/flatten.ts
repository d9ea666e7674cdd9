/**
 * Turns one parsed payload row into rows per table, driven by the row's zod schema and a tree of tables.
 * No endpoint is known here: what differs between endpoints is data.
 */
import { z } from 'zod';
import { mayBeAbsent, type SqlType, sqlTypeOf } from './fields.ts';
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
  readonly schema: z.ZodObject;
  readonly known: ReadonlySet<string>;
  /** Fields whose absence is drift. */
  readonly expected: readonly string[];
  readonly table: number;
  readonly ownReferences: readonly Reference[];
  readonly keyCount: number;
  readonly ownKeyCount: number;
  readonly measureFields: readonly string[];
  readonly measureTypes: readonly SqlType[];
  readonly children: readonly Child[];
  /** This table and all below it. */
  readonly subtree: readonly number[];
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
  const shape: Readonly<Record<string, unknown>> = schema.shape;
  return {
    schema: z.object(Object.fromEntries(own)),
    known,
    expected: own.filter(([, type]) => !mayBeAbsent(type)).map(([field]) => field),
    table: index,
    ownReferences: referencesOf(table).slice(inheritedKeys),
    keyCount: table.keys.length,
    ownKeyCount: table.keys.length - inheritedKeys,
    measureFields: table.measures.map((measure) => measure.field),
    measureTypes: table.measures.map((measure) => sqlTypeOf(shape[measure.field])),
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
  const parsed = node.schema.safeParse(entry);
  if (!parsed.success || !isObject(entry)) {
    const reason = parsed.success ? 'expected an object' : reasonOf(parsed.error);
    record.rejected.push({ path, reason, payload: entry });
    return;
  }
  noteFields(node, entry, path, record);
  const fields: Record<string, unknown> = parsed.data;
  const values: Cell[] = [...parentKeys];
  for (const reference of node.ownReferences) values.push(naturalKeyOf(reference, fields));
  const keys = values.slice(0, node.keyCount);
  if (!keys.every((key) => typeof key === 'string')) {
    record.rejected.push({ path, reason: 'expected an identity, got none', payload: entry });
    return;
  }
  for (const field of node.measureFields) values.push(cellOf(fields[field]));
  record.rows[node.table]?.push(values);
  noteObservations(node, fields, record);
  for (const child of node.children) flattenBreakdown(child, entry[child.field], path, keys, record);
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
  for (const field in entry) {
    if (node.known.has(field)) continue;
    const example = JSON.stringify(entry[field])?.slice(0, 200) ?? '';
    record.drift.push({ path: joinPath(path, field), kind: 'unknown_field', example });
  }
  for (const field of node.expected) {
    if (entry[field] === undefined)
      record.drift.push({ path: joinPath(path, field), kind: 'missing_field', example: 'absent' });
  }
}

function noteObservations(node: Node, fields: Record<string, unknown>, record: FlatRecord): void {
  for (let index = 0; index < node.ownKeyCount; index++) {
    const reference = node.ownReferences[index];
    const attribute = reference?.dimension.latestAttribute;
    if (reference === undefined || attribute === undefined) continue;
    const value = fields[attribute];
    const naturalKey = naturalKeyOf(reference, fields);
    if (typeof value === 'string' && naturalKey !== null)
      record.observations.push({ reference, naturalKey, value });
  }
}

/** The natural key of a reference, or null when its first field has no value. */
function naturalKeyOf(reference: Reference, fields: Record<string, unknown>): string | null {
  const [first] = reference.fields;
  if (reference.fields.length === 1 && first !== undefined) {
    const value = fields[first];
    return typeof value === 'string' ? value : null;
  }
  const parts: string[] = [];
  for (const field of reference.fields) {
    const value = fields[field];
    if (typeof value !== 'string') return null;
    parts.push(value);
  }
  return parts.join(partSeparator);
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'number') return value;
  return value === undefined || value === null ? null : String(value);
}

function reasonOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
    .join('; ');
}
