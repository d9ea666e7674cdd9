/** Rejected payloads for the quarantine: JSON text that `jsonb` can hold, whatever the platform sent. */
import { ExactNumber, replaceUnstorableCharacters } from '../model/json.ts';
import type { Redact } from '../model/redaction.ts';

/** Most digits, and largest exponent, of a number that stays a number; a longer number is kept as text. */
const largestNumber = 1_000;
/** Most characters of a kept payload. */
const mostCharacters = 1024 * 1024;

/**
 * The JSON text of a payload. Hides secrets, replaces characters that Postgres cannot hold by U+FFFD, writes a number
 * that is too long as text. A payload that is too large is left out, and the text says so.
 */
export function keptPayload(payload: unknown, hideSecrets: Redact): string {
  const storable = replaceUnstorableCharacters(withoutSecrets(payload, hideSecrets), () => undefined);
  const text = JSON.stringify(storable ?? null);
  return text.length > mostCharacters ? JSON.stringify(`[left out: ${text.length} characters]`) : text;
}

function withoutSecrets(value: unknown, hideSecrets: Redact): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  // A number beyond the range of a double is Infinity here, which JSON cannot write.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof ExactNumber) return fits(value) ? value : value.text;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, hideSecrets));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [hideSecrets(key), withoutSecrets(item, hideSecrets)]),
  );
}

function fits({ text }: ExactNumber): boolean {
  const exponent = Number(/e([+-]?\d+)$/i.exec(text)?.[1] ?? 0);
  return text.length <= largestNumber && Math.abs(exponent) <= largestNumber;
}
