/** Payloads as `jsonb` can hold them, whatever the platform sent. */
import { LargeBreakdown } from '../../flatten/parse-records.ts';
import { ExactNumber, replaceUnstorableCharacters } from '../../model/json.ts';

/** Far deeper than any documented payload; a few thousand levels exceed the stack, here and in Postgres. */
const deepestLevel = 100;
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
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof ExactNumber) return fits(value) ? value : value.text;
  if (value instanceof LargeBreakdown) return value.toJSON();
  if (level === deepestLevel) return `[left out: nested more than ${deepestLevel} levels deep]`;
  if (Array.isArray(value)) return value.map((item) => bounded(item, level + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bounded(item, level + 1)]));
}

function fits({ text }: ExactNumber): boolean {
  const exponent = Number(/e([+-]?\d+)$/i.exec(text)?.[1] ?? 0);
  return text.length <= largestNumber && Math.abs(exponent) <= largestNumber;
}
