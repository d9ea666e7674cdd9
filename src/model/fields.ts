/**
 * The kinds of payload fields. A kind is a zod type, so schemas read as usual and errors are zod's. It also decides the
 * type of the column (warehouse rule 3), and can be checked without zod in a tenth of the time, which matters for
 * millions of rows.
 */
import { z } from 'zod';
import { isDay } from './day.ts';
import { ExactNumber } from './json.ts';
import { isPlatformTime, timestampText } from './platform-time.ts';
import { UnparsedValue } from './unparsed-value.ts';

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
 * What happens to a text of a field when texts are withheld (`withheld-texts.ts`). `kept`: it stays, because it
 * identifies something. `word`: it stays if it is one word. `counted`: it becomes its length. `out of place`: a text is
 * not allowed here.
 */
export type TextIn = 'kept' | 'word' | 'counted' | 'out of place';

/** A field, as far as the flattener needs it. */
export interface FieldKind {
  /** Whether the value is valid; decides like the zod type. */
  readonly accepts: (value: unknown) => boolean;
  /** Converts a valid value; undefined when it is taken as it is. */
  readonly convert: ((value: unknown) => unknown) | undefined;
  /** Type of its column; undefined for an object. */
  readonly sqlType: SqlType | undefined;
  /** Whether the field may be absent without drift. */
  readonly mayBeAbsent: boolean;
  readonly textIn: TextIn;
}

const kinds = new WeakMap<object, FieldKind>();

/**
 * The kind of a field: one from `fields.ts`, the same with `.nullable()`, `.optional()` or `.nullish()`, or an object
 * of such fields. An `.optional()` field may be absent without drift. Throws `TypeError` for any other zod type;
 * `called` names the field in its message.
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

/** Defines a kind of field: the valid values, in words and as a function. */
function defineField<Accepted, Converted = Accepted>(
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

/** The largest `bigint` of Postgres. */
export const largestBigint = 9_223_372_036_854_775_807n;
const mostDigits = String(largestBigint).length;
/** Most characters of a number; Postgres allows at most 16,383 digits after the point. */
const longestNumber = 1_000;
/** Most characters of a value in an error message. */
const mostShown = 60;

type Absent = null | undefined;
type Figure = number | ExactNumber | Absent;

function isCount(value: unknown): value is Figure {
  // Beyond the safe integers a number is exact, too: parseJson keeps inexact ones as text.
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 2 ** 63;
  if (value === null || value === undefined) return true;
  if (!(value instanceof ExactNumber) || value.text.length > mostDigits) return false;
  return /^\d+$/.test(value.text) && BigInt(value.text) <= largestBigint;
}

function isAmount(value: unknown): value is Figure {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0;
  if (value === null || value === undefined) return true;
  if (!(value instanceof ExactNumber) || value.text.length > longestNumber) return false;
  // Postgres refuses a number beyond the range of a double, and with it the whole slice.
  const rounded = Number(value.text);
  return Number.isFinite(rounded) && (rounded > 0 || /^-?[0.]+(e|$)/i.test(value.text));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOptionalText(value: unknown): value is string | Absent {
  return typeof value === 'string' || value === null || value === undefined;
}

/** A value in an error message. */
export function describe(value: unknown): string {
  if (value instanceof UnparsedValue) return value.inWords;
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return ifShort('number', value.text);
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond the range of a double';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return ifShort(typeof value === 'string' ? 'text' : 'number', JSON.stringify(value));
}

/** The whole text or nothing: redaction cannot find a secret in a part of it. */
function ifShort(kind: string, text: string): string {
  return text.length > mostShown ? `a ${kind} of ${text.length} characters` : text;
}

/** A whole number of things, zero or more; may be null or absent. */
export const count = defineField('a whole number, zero or more', isCount, { sqlType: 'bigint' });

/** An amount of Standard Credits: zero or more, may be fractional, exact; may be null or absent. */
export const credits = defineField('a number, zero or more', isAmount, { sqlType: 'numeric' });

/** A ratio, an average or a share: zero or more; may be null or absent. */
export const ratio = defineField('a number, zero or more', isAmount, { sqlType: 'double precision' });

/** A name that is part of its row's identity. May be empty and of any length. */
export const name = defineField('text', isText, { sqlType: 'text' });

/** Text that may be null or absent. */
export const optionalText = defineField('text', isOptionalText, { sqlType: 'text' });

/** Text that may be null or absent; empty or blank text counts as absent. */
export const filledText = defineField('text', isOptionalText, {
  sqlType: 'text',
  convert: (text) => (text === null || text === undefined || text.trim() === '' ? null : text),
});

/** Text with a default: stored as `fallback` when absent, without drift. */
export function textOr(fallback: string) {
  return defineField('text', isOptionalText, {
    sqlType: 'text',
    mayBeAbsent: true,
    convert: (text) => text ?? fallback,
  });
}

const shortWord = /^[\w.:/+-]{0,64}$/;

/** Whether a text is one short word, which cannot be a private text. */
export function isWord(text: string): boolean {
  return shortWord.test(text);
}

/**
 * A code of the platform, such as a role or a status; may be null or absent. Any other text counts as absent, whether
 * texts are kept or not.
 */
export const word = defineField('text', isOptionalText, {
  sqlType: 'text',
  mayBeAbsent: true,
  textIn: 'word',
  convert: (text) => (typeof text === 'string' && isWord(text) ? text : null),
});

/**
 * Private text of people and agents, or its number of code points when it is withheld; may be null or absent. A column
 * reads it by a derivation.
 */
export const privateText = defineField(
  'text',
  (value): value is string | number | Absent =>
    isOptionalText(value) || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0),
  { mayBeAbsent: true, textIn: 'counted' },
);

/** A documented field without a column; any value is valid. */
export const unread = defineField('anything', (_): _ is unknown => true, {
  mayBeAbsent: true,
  textIn: 'counted',
});

/** A name in the spelling that `conform` gives it. */
export function conformedName(conform: (name: string) => string) {
  return defineField('text', isText, { sqlType: 'text', convert: conform });
}

/** The same where the name may be null or absent. */
export function optionalConformedName(conform: (name: string) => string) {
  return defineField('text', isOptionalText, {
    sqlType: 'text',
    convert: (text) => (typeof text === 'string' ? conform(text) : null),
  });
}

/** A whole number of either sign that fits a Postgres `integer`. */
export const integer = defineField(
  'a whole number from -2147483648 to 2147483647',
  (value): value is number => typeof value === 'number' && (value | 0) === value,
  { sqlType: 'integer' },
);

/** A whole number of either sign. */
export const wholeNumber = defineField(
  'a whole number',
  (value): value is number => Number.isSafeInteger(value),
  { sqlType: 'bigint' },
);

/** True or false. */
export const flag = defineField('true or false', (value): value is boolean => typeof value === 'boolean', {
  sqlType: 'boolean',
});

/** A time of the platform: a number of seconds or milliseconds (`platform-time.ts`). */
export const timestamp = defineField(
  'a time from year 1 to 9999, in seconds or milliseconds since 1970',
  isPlatformTime,
  { sqlType: 'timestamptz', convert: timestampText },
);

/** A calendar day, `YYYY-MM-DD`. */
export const calendarDay = defineField(
  'a day such as 2026-03-09',
  (value): value is string => typeof value === 'string' && isDay(value) && value >= '0001',
  { sqlType: 'date' },
);

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUID, stored in lower case like in Postgres. */
export const uuid = defineField(
  'a UUID',
  (value): value is string => typeof value === 'string' && uuidForm.test(value),
  { sqlType: 'uuid', convert: (text) => text.toLowerCase() },
);
