/** A schema and its tables, prepared for flattening: what every row needs is looked up once. */
import { z } from 'zod';
import { type FieldKind, kindOf, type SqlType } from '../model/fields.ts';
import { joinPath } from '../model/json.ts';
import { type BreakdownTable, type Reference, referencesOf, type TableDefinition } from '../model/table.ts';

/** How the entries of a breakdown come: objects, plain texts, or the pairs of a map. */
export type EntryShape = 'object' | 'text' | 'pair';

/** One level of a payload row: the row itself, or the entries of a breakdown. */
export interface RecordNode {
  /** Explains what is wrong with an entry that some field does not accept. */
  readonly schema: z.ZodObject;
  /** Where entries of this level stand, such as `by_user[].by_model[]`; empty for the record itself. */
  readonly path: string;
  readonly knownFields: readonly string[];
  /** The values of an entry's known fields, in their order. Every `position` here is an index into these values. */
  readonly valuesOf: (entry: Entry) => readonly unknown[];
  /** Fields whose absence is drift. */
  readonly expected: readonly string[];
  readonly checks: readonly { readonly position: number; readonly accepts: (value: unknown) => boolean }[];
  readonly table: number;
  readonly ownReferences: readonly ReferenceReader[];
  readonly ownKeyCount: number;
  readonly keyCount: number;
  readonly observers: readonly Observer[];
  readonly measurePositions: readonly number[];
  /** Room for the figures of one entry, used again for each. */
  readonly figures: unknown[];
  readonly measureTypes: readonly SqlType[];
  readonly children: readonly ChildNode[];
  /** This table and all below it. */
  readonly subtree: readonly number[];
}

/** A parsed JSON object. */
export type Entry = Readonly<Record<string, unknown>>;

/** How a reference finds its natural key in an entry. */
export interface ReferenceReader {
  readonly reference: Reference;
  readonly parts: readonly { readonly position: number; readonly convert: FieldKind['convert'] }[];
}

/** A field that reports an attribute of a dimension, such as a user's e-mail, and the key that it belongs to. */
export interface Observer {
  readonly reference: Reference;
  /** Index among the own references. */
  readonly key: number;
  readonly position: number;
}

/** A breakdown below a level. */
export interface ChildNode {
  /** Where the breakdown as a whole stands. */
  readonly path: string;
  readonly position: number;
  readonly shape: EntryShape;
  readonly node: RecordNode;
}

/**
 * Prepares a level and all below it; adds their tables to `tables`, the level's own first. `inheritedKeys` is how
 * many keys come from the levels above. Throws `TypeError` when schema and tables do not fit together.
 */
export function prepareNode(
  schema: z.ZodObject,
  definition: BreakdownTable,
  inheritedKeys: number,
  tables: TableDefinition[],
  path = '',
): RecordNode {
  const { table, breakdowns } = definition;
  const index = tables.push(table) - 1;
  const knownFields = Object.keys(schema.shape);
  const children = Object.entries(breakdowns).map(([field, below]): ChildNode => {
    const type = schema.shape[field];
    if (type === undefined) throw new TypeError(`${table.name}: the schema has no field ${field}`);
    const { shape, entry } = entrySchema(type);
    const childPath = joinPath(path, field);
    return {
      path: childPath,
      position: knownFields.indexOf(field),
      shape,
      node: prepareNode(entry, below, table.keys.length, tables, `${childPath}[]`),
    };
  });
  const own = Object.entries(schema.shape).filter(([field]) => !(field in breakdowns));
  const kinds = new Map(own.map(([field, type]) => [field, kindOf(type)]));
  const kind = (field: string): FieldKind => {
    const found = kinds.get(field);
    if (found === undefined) throw new TypeError(`${table.name}: the schema has no field ${field}`);
    return found;
  };
  const ownReferences = referencesOf(table).slice(inheritedKeys);
  const ownKeyCount = table.keys.length - inheritedKeys;
  return {
    schema: z.object(Object.fromEntries(own)),
    path,
    knownFields,
    valuesOf: readerOf(knownFields),
    expected: [...kinds].filter(([, { mayBeAbsent }]) => !mayBeAbsent).map(([field]) => field),
    checks: [...kinds].map(([field, { accepts }]) => ({ position: knownFields.indexOf(field), accepts })),
    table: index,
    ownReferences: ownReferences.map((reference) => ({
      reference,
      parts: reference.fields.map((field) => ({
        position: knownFields.indexOf(field),
        convert: kind(field).convert,
      })),
    })),
    ownKeyCount,
    keyCount: table.keys.length,
    observers: ownReferences.slice(0, ownKeyCount).flatMap((reference, key) => {
      const position = knownFields.indexOf(reference.dimension.latestAttribute ?? '');
      return position < 0 ? [] : [{ reference, key, position }];
    }),
    measurePositions: table.measures.map((measure) => knownFields.indexOf(measure.field)),
    figures: table.measures.map(() => undefined),
    measureTypes: table.measures.map(({ column, field }) => {
      const { sqlType } = kind(field);
      if (sqlType === undefined) throw new TypeError(`${table.name}.${column}: ${field} is not a figure`);
      return sqlType;
    }),
    children,
    subtree: [index, ...children.flatMap((child) => child.node.subtree)],
  };
}

/**
 * A function that reads fields. Most entries of a level have the same fields in the same order: their places are looked
 * up once, and again only when an entry has another order.
 */
function readerOf(fields: readonly string[]): (entry: Entry) => unknown[] {
  let order: readonly string[] = [];
  let places: readonly number[] = [];
  return (entry) => {
    const names = Object.keys(entry);
    if (!isSame(names, order)) {
      order = names;
      places = fields.map((field) => names.indexOf(field));
    }
    const given = Object.values(entry);
    const values = new Array<unknown>(places.length);
    for (let index = 0; index < places.length; index++) values[index] = given[places[index] ?? -1];
    return values;
  };
}

function isSame(names: readonly string[], order: readonly string[]): boolean {
  if (names.length !== order.length) return false;
  for (let index = 0; index < names.length; index++) if (names[index] !== order[index]) return false;
  return true;
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

/** A node and all below it, in the order of `Flatten.tables`. */
export function nodesOf(node: RecordNode): RecordNode[] {
  return [node, ...node.children.flatMap((child) => nodesOf(child.node))];
}
