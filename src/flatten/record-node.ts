/** A schema and its tables, prepared once for flattening. */
import { z } from 'zod';
import { kindOf } from '../model/field-kind.ts';
import { joinPath } from '../model/json.ts';
import { isReference, type StoredTable, type Table } from '../model/table.ts';
import { type EntryShape, entrySchema } from './breakdown.ts';
import {
  type FieldsOfLevel,
  type NameReader,
  nameReader,
  type Observer,
  observersOf,
  typed,
  type ValueReaders,
  valueReaders,
} from './column-reader.ts';
import { type Entry, readerOf } from './entry.ts';

/** One level of a record: the record itself, or the entries of a breakdown. */
export interface RecordNode {
  /** The schema for error messages about invalid entries. */
  readonly schema: z.ZodObject;
  /** The path of this level's entries, such as `by_user[].by_model[]`; empty for the record itself. */
  readonly path: string;
  readonly knownFields: readonly string[];
  /** Reads the values of the known fields, in their order. Every `position` is an index into these values. */
  readonly valuesOf: (entry: Entry) => readonly unknown[];
  /** Fields whose absence is drift. */
  readonly expected: readonly string[];
  readonly checks: readonly { readonly position: number; readonly accepts: (value: unknown) => boolean }[];
  /** Fields that only another kind of entry may have, such as the row of a group; their type is `z.never().nullish()`. */
  readonly foreignFields: readonly string[];
  /** Index of the level's table in `Flatten.tables`. */
  readonly index: number;
  readonly table: StoredTable;
  /** Readers of the table's own keys, then of its references. */
  readonly ownNames: readonly NameReader[];
  readonly ownKeyCount: number;
  readonly observers: readonly Observer[];
  readonly values: ValueReaders;
  readonly children: readonly ChildNode[];
  /** Indexes of this level's table and of all tables below it. */
  readonly subtree: readonly number[];
}

/** A breakdown below a level. */
export interface ChildNode {
  /** The path of the breakdown. */
  readonly path: string;
  /** The positions of the breakdown's fields among the known fields of the level. */
  readonly positions: readonly number[];
  readonly shape: EntryShape;
  /** Whether a missing breakdown means no rows. */
  readonly mayBeAbsent: boolean;
  readonly node: RecordNode;
}

/**
 * Prepares a level and all levels below it. Adds their tables to `tables`, first the level's own. `inheritedKeys` are
 * the keys of the level above. Throws `TypeError` when schema and tables do not match.
 */
export function prepareNode(
  schema: z.ZodObject,
  definition: Table,
  inheritedKeys: StoredTable['keys'],
  tables: StoredTable[],
  path = '',
): RecordNode {
  try {
    return prepareLevel(schema, definition, inheritedKeys, tables, path);
  } catch (error) {
    if (!(error instanceof TypeError) || error.cause !== undefined) throw error;
    throw new TypeError(`${definition.name}: ${error.message}`, { cause: error });
  }
}

function prepareLevel(
  schema: z.ZodObject,
  { name, keys, columns, below, vanished }: Table,
  inheritedKeys: StoredTable['keys'],
  tables: StoredTable[],
  path: string,
): RecordNode {
  const breakdowns = new Set(below.flatMap(({ fields }) => fields));
  const isForeign = (field: string) => isNever(schema.shape[field]);
  const knownFields = Object.keys(schema.shape).filter((field) => !isForeign(field));
  const fields: FieldsOfLevel = { schema, knownFields, breakdowns };
  if (vanished !== 'delete' && tables.length > 0)
    throw new TypeError('only rows of whole records can be flagged when they are no longer reported');
  const ownKeys = keys.map((column) => typed(column, fields));
  const others = columns.map((column) => typed(column, fields));
  const references = others.filter(isReference);
  const values = others.flatMap((column) => (isReference(column) ? [] : [column]));
  const table: StoredTable = { name, keys: [...inheritedKeys, ...ownKeys], references, values, vanished };
  const index = tables.push(table) - 1;
  const children = below.map((breakdown): ChildNode => {
    const { shape, entry } = entrySchema(breakdown.fields.map((field) => typeOfField(schema, field)));
    const childPath = joinPath(path, breakdown.fields.join('+'));
    const node = prepareNode(entry, breakdown.table, table.keys, tables, `${childPath}[]`);
    return {
      path: childPath,
      positions: breakdown.fields.map((field) => knownFields.indexOf(field)),
      shape,
      mayBeAbsent: breakdown.mayBeAbsent,
      // A parallel list may be shorter than the others, so missing fields are no drift.
      node: shape === 'beside' ? { ...node, expected: [] } : node,
    };
  });
  const own = Object.entries<z.core.$ZodType>(schema.shape).filter(([field]) => !breakdowns.has(field));
  const kinds = own.flatMap(([field, type]) => (isForeign(field) ? [] : [{ field, ...kindOf(type, field) }]));
  return {
    schema: z.object(Object.fromEntries(own)),
    path,
    knownFields,
    valuesOf: readerOf(knownFields),
    expected: kinds.filter(({ mayBeAbsent }) => !mayBeAbsent).map(({ field }) => field),
    checks: kinds.map(({ field, accepts }) => ({ position: knownFields.indexOf(field), accepts })),
    foreignFields: own.flatMap(([field]) => (isForeign(field) ? [field] : [])),
    index,
    table,
    ownNames: [...ownKeys, ...references].map((column) => nameReader(column, fields)),
    ownKeyCount: ownKeys.length,
    observers: observersOf(ownKeys, fields),
    values: valueReaders(values, fields),
    children,
    subtree: [index, ...children.flatMap((child) => child.node.subtree)],
  };
}

function isNever(type: unknown): boolean {
  if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) return isNever(type.unwrap());
  return type instanceof z.ZodNever;
}

function typeOfField(schema: z.ZodObject, field: string): unknown {
  const type = schema.shape[field];
  if (type === undefined) throw new TypeError(`the schema has no field ${field}`);
  return type;
}

/** A node and all below it, in the order of `Flatten.tables`. */
export function nodesOf(node: RecordNode): RecordNode[] {
  return [node, ...node.children.flatMap((child) => nodesOf(child.node))];
}
