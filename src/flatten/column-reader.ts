/** Reads the values of columns from the fields of an entry. */
import { z } from 'zod';
import { type FieldKind, isPlainObject, kindOf, type SqlType } from '../model/field-kind.ts';
import {
  type Attribute,
  type Column,
  type Dimension,
  type EntryPosition,
  isReference,
  partSeparator,
  type Reference,
  type TypedValue,
} from '../model/table.ts';
import { LargePart, type ParsedRecords } from './parse-records.ts';
import { isFigure, textOf } from './row-text.ts';

/** Reads a value from the values of an entry's known fields. */
export type ReadValue = (values: readonly unknown[], at: EntryPosition) => unknown;

/** How to read the name (natural key, or text) of a reference or a key. */
export interface NameReader {
  /** Fields that hold the parts of a natural key. */
  readonly parts: readonly { readonly position: number; readonly convert: FieldKind['convert'] }[];
  /** Reads the name instead of `parts`; undefined when the name is its joined parts. */
  readonly read: ReadValue | undefined;
}

/** A field with an attribute of a dimension, such as a user's e-mail. */
export interface Observer {
  readonly dimension: Dimension;
  readonly attribute: Attribute;
  /** Index of the dimension's key among the table's own named columns. */
  readonly key: number;
  readonly read: ReadValue;
}

/** How to read the values of a row: figures by their positions, which is fastest, or each value by a function. */
export interface ValueReaders {
  readonly positions: readonly number[];
  /** A buffer for the figures of one entry, reused for each entry. */
  readonly room: unknown[];
  /** The reader of each value; undefined when all values are figures. */
  readonly reads: readonly ReadValue[] | undefined;
}

/** The fields of one level of a payload. */
export interface FieldsOfLevel {
  readonly schema: z.ZodObject;
  /** Names of the fields whose values a `ReadValue` gets, in this order. */
  readonly knownFields: readonly string[];
  /** Fields with breakdowns. A column may read a breakdown that is a list. */
  readonly breakdowns: ReadonlySet<string>;
}

/** The column with its type; by default it has the type of its field. Throws `TypeError` when the field has none. */
export function typed(column: Column, fields: FieldsOfLevel): Reference | TypedValue {
  if (isReference(column)) return column;
  const type = column.type ?? typeOfField(column.fields[0] ?? '', fields);
  if (type === undefined)
    throw new TypeError(`${column.column}: ${column.fields.join(', ')} has no column type`);
  if (column.whenDuplicate === 'sum' && (!isFigure(type) || type === 'boolean'))
    throw new TypeError(`${column.column}: values of type ${type} cannot be added up`);
  return { ...column, type };
}

/** Makes the reader for the name of a reference, or of a key that stores its value. */
export function nameReader(column: Reference | TypedValue, fields: FieldsOfLevel): NameReader {
  const { derive } = column;
  if (isReference(column) && derive === undefined && column.fields.every((field) => !field.includes('.')))
    return {
      parts: column.fields.map((field) => ({
        position: positionOf(field, fields),
        convert: kindOfField(field, fields).convert,
      })),
      read: undefined,
    };
  return { parts: [], read: readOf(column, fields) };
}

/** The name of a column; null when a part has no value. */
export function nameOf(
  { parts, read }: NameReader,
  values: readonly unknown[],
  at: EntryPosition,
): string | null {
  if (read !== undefined) return textOf(read(values, at));
  let name: string | null = null;
  for (const { position, convert } of parts) {
    const value = convert === undefined ? values[position] : convert(values[position]);
    if (typeof value !== 'string') return null;
    name = name === null ? value : name + partSeparator + value;
  }
  return name;
}

/** Makes the readers of a table's values. */
export function valueReaders(columns: readonly TypedValue[], fields: FieldsOfLevel): ValueReaders {
  const areFigures = columns.every(({ type, derive, fields: [field = ''] }) => {
    if (derive !== undefined || !isFigure(type) || field.includes('.')) return false;
    return kindOfField(field, fields).convert === undefined;
  });
  if (!areFigures) return { positions: [], room: [], reads: columns.map((column) => readOf(column, fields)) };
  return {
    positions: columns.map((column) => positionOf(column.fields[0] ?? '', fields)),
    room: columns.map(() => undefined),
    reads: undefined,
  };
}

/** The attributes that entries report: of the dimensions of their own keys, those for which they have the fields. */
export function observersOf(keys: readonly Column[], fields: FieldsOfLevel): Observer[] {
  return keys.flatMap((column, key) => {
    if (!isReference(column)) return [];
    const { dimension } = column;
    return dimension.attributes
      .filter((attribute) => attribute.fields.every((field) => fields.knownFields.includes(topOf(field))))
      .map((attribute) => ({ dimension, attribute, key, read: readOf(attribute, fields) }));
  });
}

/** Makes the reader of a column. It returns undefined or null when a field has no valid value. */
function readOf({ column, fields: names, derive }: Column, fields: FieldsOfLevel): ReadValue {
  const reads = names.map((name) => fieldReader(name, fields));
  if (derive !== undefined)
    return (values, at) =>
      derive(
        reads.map((read) => read(values)),
        at,
      );
  const [read, ...others] = reads;
  if (read !== undefined && others.length === 0) return read;
  if (read === undefined) throw new TypeError(`${column}: a column without a field needs a derivation`);
  return (values) => {
    const parts = reads.map((each) => each(values));
    return parts.every((part) => typeof part === 'string') ? parts.join(partSeparator) : null;
  };
}

function fieldReader(name: string, fields: FieldsOfLevel): (values: readonly unknown[]) => unknown {
  const position = positionOf(name, fields);
  if (fields.breakdowns.has(name)) return (values) => entriesIn(values[position]);
  const { accepts, convert } = kindOfField(name, fields);
  const taken = (value: unknown) => {
    if (!accepts(value)) return undefined;
    return convert === undefined ? value : convert(value);
  };
  const inner = name.split('.').slice(1);
  if (inner.length === 0) return (values) => taken(values[position]);
  return (values) => {
    let value = values[position];
    for (const part of inner) value = isPlainObject(value) ? value[part] : undefined;
    return taken(value);
  };
}

/** The entries of a list; undefined for other values. */
function entriesIn(breakdown: unknown): Iterable<unknown> | undefined {
  if (breakdown instanceof LargePart) return breakdown.isArray ? recordsOf(breakdown.entries()) : undefined;
  return Array.isArray(breakdown) ? breakdown : undefined;
}

function* recordsOf(pieces: Iterable<ParsedRecords>): Generator<unknown> {
  for (const { records } of pieces) yield* records;
}

function topOf(field: string): string {
  return field.split('.', 1)[0] ?? field;
}

function positionOf(field: string, { knownFields }: FieldsOfLevel): number {
  const position = knownFields.indexOf(topOf(field));
  if (position < 0) throw new TypeError(`the schema has no field ${field}`);
  return position;
}

/** The kind of the field `a`, or of the field `b` of the object `a` for `a.b`. */
function kindOfField(field: string, { schema }: FieldsOfLevel): FieldKind {
  let type: unknown = schema;
  for (const name of field.split('.')) type = objectIn(type)?.shape[name];
  if (typeof type !== 'object' || type === null) throw new TypeError(`the schema has no field ${field}`);
  return kindOf(type);
}

function objectIn(type: unknown): z.ZodObject | undefined {
  if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) return objectIn(type.unwrap());
  return type instanceof z.ZodObject ? type : undefined;
}

function typeOfField(field: string, fields: FieldsOfLevel): SqlType | undefined {
  return fields.breakdowns.has(field) ? undefined : kindOfField(field, fields).sqlType;
}
