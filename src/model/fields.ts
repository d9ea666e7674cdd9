/**
 * The kinds of field that payloads are made of, as zod types. A kind also decides the column it is stored in,
 * so one schema describes payload and column alike (warehouse rule 3).
 */
import { z } from 'zod';
import { ExactNumber } from './json.ts';

/** How a measure is stored. */
export type SqlType = 'bigint' | 'numeric' | 'double precision';

const largestBigint = 9_223_372_036_854_775_807n;

function isCount(value: unknown): value is number | ExactNumber {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  return value instanceof ExactNumber && /^\d+$/.test(value.text) && BigInt(value.text) <= largestBigint;
}

function isAmount(value: unknown): value is number | ExactNumber {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0;
  return value instanceof ExactNumber && Number(value.text) >= 0 && Number.isFinite(Number(value.text));
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function numeric(check: (value: unknown) => value is number | ExactNumber, expected: string) {
  return z.custom<number | ExactNumber>(check, {
    error: (issue) => `expected ${expected}, got ${describe(issue.input)}`,
  });
}

/** A whole number of things, zero or more. */
export const count = numeric(isCount, 'a whole number, zero or more').nullish();

/** An amount of Standard Credits: zero or more, may be fractional, exact. */
export const credits = numeric(isAmount, 'a number, zero or more').nullish();

/** A ratio, an average or a share: zero or more. */
export const ratio = numeric(isAmount, 'a number, zero or more').nullish();

const required = z.string({ error: (issue) => `expected text, got ${describe(issue.input)}` });

/** A name that identifies its row: without it the row cannot be placed. May be empty, may be of any length. */
export const name = required;

/** Text that may be null or absent. */
export const optionalText = required.nullish();

/** Text whose absence means something by itself and is stored as `fallback`; its absence is foreseen, not drift. */
export function textOr(fallback: string) {
  const field = required.nullish().transform((text) => text ?? fallback);
  foreseenAbsent.add(field);
  return field;
}

const foreseenAbsent = new WeakSet<object>();

/** Whether a row may lack this field without that being drift. */
export function mayBeAbsent(field: object): boolean {
  return foreseenAbsent.has(field);
}

const sqlTypes = new Map<unknown, SqlType>([
  [count, 'bigint'],
  [credits, 'numeric'],
  [ratio, 'double precision'],
]);

/** The column type in which a field of this kind is stored; throws `TypeError` for a field that is no measure. */
export function sqlTypeOf(field: unknown): SqlType {
  const type = sqlTypes.get(field);
  if (type === undefined) throw new TypeError('a measure must be a count, credits or a ratio');
  return type;
}
