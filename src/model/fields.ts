/** The kinds of fields that payloads have. Each kind is a zod type, so schemas and error messages are those of zod. */
import { isDay } from './day.ts';
import { defineField } from './field-kind.ts';
import { ExactNumber } from './json.ts';
import { isPlatformTime, timestampText } from './platform-time.ts';

/** The largest `bigint` of Postgres. */
export const largestBigint = 9_223_372_036_854_775_807n;
const mostDigits = String(largestBigint).length;
/** Most characters of a number; Postgres allows at most 16,383 digits after the point. */
const longestNumber = 1_000;

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
  // Postgres refuses a number beyond the range of a double, and the whole slice would fail with it.
  const rounded = Number(value.text);
  return Number.isFinite(rounded) && (rounded > 0 || /^-?[0.]+(e|$)/i.test(value.text));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOptionalText(value: unknown): value is string | Absent {
  return typeof value === 'string' || value === null || value === undefined;
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
 * A code of the platform, such as a role or a status: one short word; may be null or absent. A longer text counts as
 * absent, also when texts are kept.
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

/** A documented field that no column stores; any value is valid. */
export const unread = defineField('anything', (_): _ is unknown => true, {
  mayBeAbsent: true,
  textIn: 'counted',
});

/** A name, stored in the spelling that `conform` returns. */
export function conformedName(conform: (name: string) => string) {
  return defineField('text', isText, { sqlType: 'text', convert: conform });
}

/** Like `conformedName`, but the name may be null or absent. */
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
