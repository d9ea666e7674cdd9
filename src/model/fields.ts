/**
 * The kinds of field that payloads are made of. A kind is a zod type, so that schemas read as usual and errors are
 * zod's; it also decides the type of the column (warehouse rule 3), and can be checked without zod,
 * which takes a tenth of the time and matters for millions of rows.
 */
import { z } from 'zod';
import { isDay } from './day.ts';
import { ExactNumber } from './json.ts';
import { isPlatformTime, timestampText } from './platform-time.ts';
import { UnparsedValue } from './unparsed-value.ts';

/** How a value is stored. */
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
 * What becomes of a text in a field where nobody may keep texts (`withheld-texts.ts`): it stays, because it identifies
 * something; it stays if it is one word; it becomes its length; or it does not belong there at all.
 */
export type TextIn = 'kept' | 'word' | 'counted' | 'out of place';

/** What the flattener must know of a field. */
export interface FieldKind {
  /** Whether the value is as expected; decides the same as the zod type. */
  readonly accepts: (value: unknown) => boolean;
  /** What an accepted value means, where it is not taken as it is. */
  readonly convert: ((value: unknown) => unknown) | undefined;
  /** Type of a column that holds it; undefined for an object. */
  readonly sqlType: SqlType | undefined;
  /** Whether a row may lack the field without that being drift. */
  readonly mayBeAbsent: boolean;
  readonly textIn: TextIn;
}

const kinds = new WeakMap<object, FieldKind>();

/**
 * The kind of a field: one of those below, the same with `.nullable()`, `.optional()` or `.nullish()`, or an object of
 * such fields. A field that is optional by these may be absent without that being drift. Throws `TypeError` for any
 * other zod type; `called` is what it says of the field.
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

/** Whether a value is an object of the payload, and not a number or a part of it in a class of ours. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Defines a kind of field: what it accepts, in words and in code. */
function defineField<Accepted, Converted = Accepted>(
  expected: string,
  accepts: (value: unknown) => value is Accepted,
  details: {
    sqlType?: SqlType;
    mayBeAbsent?: boolean;
    convert?: (value: Accepted) => Converted;
    /** Default: kept in columns of text, elsewhere out of place. */
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

/** What a `bigint` of Postgres holds. */
export const largestBigint = 9_223_372_036_854_775_807n;
const mostDigits = String(largestBigint).length;
/** Characters of a number as written; Postgres refuses more than 16,383 digits after the point. */
const longestNumber = 1_000;
/** Characters of a value in the reason why it was not accepted. */
const mostShown = 60;

type Absent = null | undefined;
type Figure = number | ExactNumber | Absent;

function isCount(value: unknown): value is Figure {
  // A number beyond the safe integers is exact all the same: parseJson keeps those that are not as text.
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 2 ** 63;
  if (value === null || value === undefined) return true;
  if (!(value instanceof ExactNumber) || value.text.length > mostDigits) return false;
  return /^\d+$/.test(value.text) && BigInt(value.text) <= largestBigint;
}

function isAmount(value: unknown): value is Figure {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0;
  if (value === null || value === undefined) return true;
  if (!(value instanceof ExactNumber) || value.text.length > longestNumber) return false;
  // Beyond the range of a double on either side Postgres refuses the text, and with it the whole slice.
  const rounded = Number(value.text);
  return Number.isFinite(rounded) && (rounded > 0 || /^-?[0.]+(e|$)/i.test(value.text));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOptionalText(value: unknown): value is string | Absent {
  return typeof value === 'string' || value === null || value === undefined;
}

/** A value in the reason why it was not accepted. */
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

/** Whole or not at all: what is hidden in a text is no longer found in a piece of it. */
function ifShort(kind: string, text: string): string {
  return text.length > mostShown ? `a ${kind} of ${text.length} characters` : text;
}

/** A whole number of things, zero or more; may be null or absent. */
export const count = defineField('a whole number, zero or more', isCount, { sqlType: 'bigint' });

/** An amount of Standard Credits: zero or more, may be fractional, exact; may be null or absent. */
export const credits = defineField('a number, zero or more', isAmount, { sqlType: 'numeric' });

/** A ratio, an average or a share: zero or more; may be null or absent. */
export const ratio = defineField('a number, zero or more', isAmount, { sqlType: 'double precision' });

/** A name that identifies its row: without it the row cannot be placed. May be empty, may be of any length. */
export const name = defineField('text', isText, { sqlType: 'text' });

/** Text that may be null or absent. */
export const optionalText = defineField('text', isOptionalText, { sqlType: 'text' });

/** Text that may be null or absent, and is absent where it is empty or blank: the address of nobody. */
export const filledText = defineField('text', isOptionalText, {
  sqlType: 'text',
  convert: (text) => (text === null || text === undefined || text.trim() === '' ? null : text),
});

/** Text whose absence means something by itself and is stored as `fallback`; its absence is foreseen, not drift. */
export function textOr(fallback: string) {
  return defineField('text', isOptionalText, {
    sqlType: 'text',
    mayBeAbsent: true,
    convert: (text) => text ?? fallback,
  });
}

const shortWord = /^[\w.:/+-]{0,64}$/;

/** Whether a text is one short word, which says nothing that somebody wrote. */
export function isWord(text: string): boolean {
  return shortWord.test(text);
}

/**
 * One word of a set that the platform chooses from, such as a role or a status; may be null or absent. Another text is
 * taken for none, whether texts are kept or not.
 */
export const word = defineField('text', isOptionalText, {
  sqlType: 'text',
  mayBeAbsent: true,
  textIn: 'word',
  convert: (text) => (typeof text === 'string' && isWord(text) ? text : null),
});

/**
 * What people and agents write, which not everybody may keep: text, or the number of its code points where it was
 * withheld; may be null or absent. A column reads it by a derivation.
 */
export const privateText = defineField(
  'text',
  (value): value is string | number | Absent =>
    isOptionalText(value) || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0),
  { mayBeAbsent: true, textIn: 'counted' },
);

/** A field that is documented and that no column holds: whatever is in it. */
export const unread = defineField('anything', (_): _ is unknown => true, {
  mayBeAbsent: true,
  textIn: 'counted',
});

/** A name that is stored in the spelling that `conform` gives it. */
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

/** A whole number of either sign that a Postgres `integer` holds. */
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

/** A moment as the platform writes it: a number of seconds or milliseconds (`platform-time.ts`). */
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

/** A UUID, in the lower case that Postgres gives it. */
export const uuid = defineField(
  'a UUID',
  (value): value is string => typeof value === 'string' && uuidForm.test(value),
  { sqlType: 'uuid', convert: (text) => text.toLowerCase() },
);
