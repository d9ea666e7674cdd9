/**
 * The kind of a payload field: a zod type that also decides the type of the column. A kind has its own check, which
 * takes a tenth of zod's time; this matters for millions of rows.
 */
import { z } from 'zod';
import { describe } from './describe-value.ts';

/** Column types of Postgres. */
export type SqlType =
  | 'bigint'
  | 'numeric'
  | 'double precision'
  | 'integer'
  | 'text'
  | 'boolean'
  | 'date'
  | 'timestamptz'
  | 'uuid';

/**
 * What happens to a text of a field when texts are withheld (`withheld-texts.ts`). `kept`: the text stays, because it
 * identifies something. `word`: it stays if it is one word. `counted`: its length replaces it. `out of place`: the
 * field allows no text.
 */
export type TextIn = 'kept' | 'word' | 'counted' | 'out of place';

/** A field, as far as the flattener needs it. */
export interface FieldKind {
  /** Whether the value is valid; decides like the zod type. */
  readonly accepts: (value: unknown) => boolean;
  /** Converts a valid value before it is stored; undefined when the value is stored unchanged. */
  readonly convert: ((value: unknown) => unknown) | undefined;
  /** Type of the field's column; undefined for an object. */
  readonly sqlType: SqlType | undefined;
  /** Whether the field may be absent without drift. */
  readonly mayBeAbsent: boolean;
  readonly textIn: TextIn;
}

const kinds = new WeakMap<object, FieldKind>();

/**
 * The kind of a field: one from `fields.ts`, also with `.nullable()`, `.optional()` or `.nullish()`, or an object of
 * such fields. An `.optional()` field may be absent without drift. Throws `TypeError` for any other zod type, with
 * `called` as the name of the field in the message.
 */
export function kindOf(field: object, called = 'a field'): FieldKind {
  const kind = kinds.get(field) ?? composed(field, called);
  kinds.set(field, kind);
  return kind;
}

function composed(field: object, called: string): FieldKind {
  if (field instanceof z.ZodOptional) return orAbsent(kindOf(field.unwrap(), called), undefined);
  if (field instanceof z.ZodNullable) return orAbsent(kindOf(field.unwrap(), called), null);
  if (!(field instanceof z.ZodObject))
    throw new TypeError(
      `${called}: expected one of the kinds in model/fields.ts, or an object of such fields`,
    );
  const inner = Object.entries<object>(field.shape).map(
    ([name, type]) => [name, kindOf(type, name)] as const,
  );
  const accepts = (value: unknown) =>
    isPlainObject(value) && inner.every(([name, kind]) => kind.accepts(value[name]));
  return { accepts, convert: undefined, sqlType: undefined, mayBeAbsent: false, textIn: 'out of place' };
}

function orAbsent(kind: FieldKind, absent: null | undefined): FieldKind {
  const { accepts, convert, sqlType, mayBeAbsent, textIn } = kind;
  return {
    accepts: (value) => value === absent || accepts(value),
    convert: convert === undefined ? undefined : (value) => (value === absent ? absent : convert(value)),
    sqlType,
    mayBeAbsent: mayBeAbsent || absent === undefined,
    textIn,
  };
}

/** Whether a value is a plain object, and not an instance of one of our classes. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Defines a kind of field: `expected` says in words which values are valid, `accepts` decides it. */
export function defineField<Accepted, Converted = Accepted>(
  expected: string,
  accepts: (value: unknown) => value is Accepted,
  details: {
    sqlType?: SqlType;
    mayBeAbsent?: boolean;
    convert?: (value: Accepted) => Converted;
    /** Default: `kept` in text columns, else `out of place`. */
    textIn?: TextIn;
  } = {},
): z.ZodType<Converted> {
  const {
    sqlType,
    mayBeAbsent = false,
    convert,
    textIn = sqlType === 'text' ? 'kept' : 'out of place',
  } = details;
  const accepted = z.custom<Accepted>(accepts, {
    error: (issue) => `expected ${expected}, got ${describe(issue.input)}`,
  });
  const meaning = (value: unknown) => (accepts(value) && convert !== undefined ? convert(value) : value);
  const field = convert === undefined ? accepted : accepted.transform(convert);
  kinds.set(field, {
    accepts,
    convert: convert === undefined ? undefined : meaning,
    sqlType,
    mayBeAbsent,
    textIn,
  });
  return field as z.ZodType<Converted>;
}
