/** Payloads as `jsonb` can hold them, whatever the platform sent. */
import { LargeBreakdown } from '../../flatten/parse-records.ts';
import { deepestLevel, ExactNumber, replaceUnstorableCharacters, tooDeep } from '../../model/json.ts';

/** Digits, and powers of ten, that every `numeric` holds. */
const largestNumber = 1_000;

/**
 * The JSON text of a payload. Characters that Postgres cannot hold become U+FFFD; a number too long for it becomes
 * text; what is too large or nested too deeply is left out, and the text says so.
 */
export function storableJson(payload: unknown): string {
  const withinBounds = bounded(payload, 0);
  return JSON.stringify(replaceUnstorableCharacters(withinBounds, () => undefined) ?? null);
}

function bounded(value: unknown, level: number): unknown {
  // What was beyond the range of a double is no longer known; as a number, JSON has nothing for it.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof ExactNumber) return fits(value) ? value : value.text;
  if (value instanceof LargeBreakdown) return value.toJSON();
  if (level === deepestLevel) return tooDeep;
  if (Array.isArray(value)) return value.map((item) => bounded(item, level + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bounded(item, level + 1)]));
}

function fits({ text }: ExactNumber): boolean {
  const exponent = Number(/e([+-]?\d+)$/i.exec(text)?.[1] ?? 0);
  return text.length <= largestNumber && Math.abs(exponent) <= largestNumber;
}
