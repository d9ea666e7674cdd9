/** How long to wait before asking again. */
import { defaultTiming } from '../model/timing.ts';

/** Share by which a backoff is longer or shorter, so that lanes do not ask again all at once. */
const jitter = 0.25;

/**
 * Milliseconds that a `Retry-After` header asks for: seconds, or a date in the future. Undefined when the header
 * is absent or says neither, so that a nonsense value is treated as no value.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Date.parse also makes a date of "later 5"; it would be long past, and the wait none at all.
  const date = /^(?:[a-z]+, .+ GMT|\d{4}-\d\d-\d\dT.+)$/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Milliseconds before retry number `retry` (1 is the first), at least; a `Retry-After` may ask for more, not for less. */
export function backoffMs(retry: number, { firstBackoffMs, longestBackoffMs } = defaultTiming): number {
  const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (retry - 1));
  return backoff * (1 - jitter + 2 * jitter * Math.random());
}
