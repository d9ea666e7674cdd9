/** What could not be loaded, as it is kept: JSON text that `jsonb` can hold, whatever the platform sent. */
import { ExactNumber, replaceUnstorableCharacters } from '../model/json.ts';
import type { Redact } from '../model/redaction.ts';

/** Digits, and powers of ten, that every `numeric` holds. */
const largestNumber = 1_000;
/** Characters of JSON text: whoever looks at it wants to see what was wrong. */
const mostCharacters = 1024 * 1024;

/**
 * The JSON text of a payload. Secrets are hidden; characters that Postgres cannot hold become U+FFFD; a number too long
 * for it becomes text; what is too large, or was not parsed because of that, is left out, and the text says so.
 */
export function keptPayload(payload: unknown, hideSecrets: Redact): string {
  const storable = replaceUnstorableCharacters(withoutSecrets(payload, hideSecrets), () => undefined);
  const text = JSON.stringify(storable ?? null);
  return text.length > mostCharacters ? JSON.stringify(`[left out: ${text.length} characters]`) : text;
}

function withoutSecrets(value: unknown, hideSecrets: Redact): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  // What was beyond the range of a double is no longer known; as a number, JSON has nothing for it.
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
