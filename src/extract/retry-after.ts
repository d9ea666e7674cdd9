/** Waits before a retry. */
import { defaultTiming } from '../model/timing.ts';

/** Random share of a backoff, so that concurrent requests do not retry at the same moment. */
const jitter = 0.25;

/**
 * Milliseconds of a `Retry-After` header: seconds, or a date in the future. Undefined when the header is absent or
 * invalid.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // The forms are checked first, because Date.parse also accepts texts such as "later 5".
  const date = /^(?:[a-z]+, .+ GMT|\d{4}-\d\d-\d\dT.+)$/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Milliseconds to wait before retry number `retry` (from 1), unless a `Retry-After` asks for more. */
export function backoffMs(retry: number, { firstBackoffMs, longestBackoffMs } = defaultTiming): number {
  const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (retry - 1));
  return backoff * (1 - jitter + 2 * jitter * Math.random());
}
