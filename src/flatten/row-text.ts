/**
 * The values of a row as one text. Without its first and last character, `COPY` reads it as columns: with the delimiter
 * `,` and `null` for null, as in JSON.
 */
import type { SqlType } from '../model/fields.ts';
import { ExactNumber } from '../model/json.ts';

/** Types whose values JSON and `COPY` write alike. */
const alikeInJson: ReadonlySet<SqlType> = new Set([
  'bigint',
  'numeric',
  'double precision',
  'integer',
  'boolean',
]);

/** Whether `writeFigures` may write values of a type. */
export function isFigure(type: SqlType): boolean {
  return alikeInJson.has(type);
}

/**
 * Writes figures: numbers, booleans, `ExactNumber`s, and null or undefined where there is none. A JSON array: no other
 * way of writing numbers is as quick.
 */
export function writeFigures(figures: readonly unknown[]): string {
  return JSON.stringify(figures);
}

/**
 * Writes values of which some are text. It stands between line ends, which escaped text does not hold: so rows that
 * are put side by side stay apart.
 */
export function writeValues(values: readonly unknown[]): string {
  return `\n${values.map(copyValue).join(',')}\n`;
}

/** What was written of each value, still escaped; null where there is none. */
export function readRow(text: string): (string | null)[] {
  const inside = text.slice(1, -1);
  if (inside === '') return text === '[]' ? [] : [''];
  const written = inside.includes('\\') ? splitUnescaped(inside) : inside.split(',');
  return written.map((value) => (value === 'null' ? null : value));
}

/** Writes what `readRow` read, or sums of it, in the same way as `like`. */
export function rewriteRow(values: readonly (string | null)[], like: string): string {
  return like.charAt(0) + values.map((value) => value ?? 'null').join(',') + like.slice(-1);
}

/** A text as `COPY` reads it. A text `null` is told from null by an escape. */
export function copyText(text: string): string {
  if (text === 'null') return '\\x6eull';
  if (!/[\\,\n\r]/.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll(',', '\\,').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}

/** A value as text, in the form in which Postgres reads its type; null where there is none. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : value instanceof ExactNumber ? value.text : String(value);
}

function copyValue(value: unknown): string {
  if (typeof value === 'string') return copyText(value);
  return textOf(value) ?? 'null';
}

/** Splits at commas without a backslash before them. Texts may be long: no regular expression goes through them. */
function splitUnescaped(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', comma + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(comma - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 1) continue;
    parts.push(text.slice(start, comma));
    start = comma + 1;
  }
  return [...parts, text.slice(start)];
}
