/**
 * The values of a row as one text. Without its first and last character the text is a line for `COPY`, with the
 * delimiter `,` and `null` for null, as in JSON.
 */
import type { SqlType } from '../model/field-kind.ts';
import { ExactNumber } from '../model/json.ts';

/** Types whose values have the same form in JSON and in `COPY`. */
const alikeInJson: ReadonlySet<SqlType> = new Set([
  'bigint',
  'numeric',
  'double precision',
  'integer',
  'boolean',
]);

/** Whether `writeFigures` can write values of this type. */
export function isFigure(type: SqlType): boolean {
  return alikeInJson.has(type);
}

/** Writes numbers, booleans, `ExactNumber`s, null and undefined as a JSON array, the fastest way to write numbers. */
export function writeFigures(figures: readonly unknown[]): string {
  return JSON.stringify(figures);
}

/**
 * Writes values, texts included, with a line end before and after them. Escaped texts contain no line ends, so rows that
 * are stored one after the other can be told apart.
 */
export function writeValues(values: readonly unknown[]): string {
  return `\n${values.map(copyValue).join(',')}\n`;
}

/** The values in the text of a row, still escaped; null for no value. */
export function readRow(text: string): (string | null)[] {
  const inside = text.slice(1, -1);
  if (inside === '') return text === '[]' ? [] : [''];
  const written = inside.includes('\\') ? splitUnescaped(inside) : inside.split(',');
  return written.map((value) => (value === 'null' ? null : value));
}

/** Writes the values of `readRow`, or sums of them, in the format of `like`. */
export function rewriteRow(values: readonly (string | null)[], like: string): string {
  return like.charAt(0) + values.map((value) => value ?? 'null').join(',') + like.slice(-1);
}

/** Escapes a text for `COPY`. The text `null` is escaped, too, to distinguish it from null. */
export function copyText(text: string): string {
  if (text === 'null') return '\\x6eull';
  if (!/[\\,\n\r]/.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll(',', '\\,').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}

/** A value as text in Postgres' format; null for no value. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : value instanceof ExactNumber ? value.text : String(value);
}

function copyValue(value: unknown): string {
  if (typeof value === 'string') return copyText(value);
  return textOf(value) ?? 'null';
}

/** Splits at commas that are not escaped. Without a regular expression, because texts may be long. */
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
