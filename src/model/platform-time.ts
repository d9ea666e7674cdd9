/**
 * Times of the platform: numbers since 1970 UTC. A number below 100,000,000,000 is in seconds, any other one in
 * milliseconds. They become texts that mean the same in any time zone of Postgres, exact to a microsecond.
 */
import Big from 'big.js';
import { ExactNumber } from './json.ts';

const firstOfMilliseconds = 100_000_000_000;
/** The years 1 to 9999, in milliseconds: ISO 8601 and Postgres write only these years alike. */
const earliest = Date.parse('0001-01-01T00:00:00Z');
const afterLatest = Date.parse('9999-12-31T23:59:59Z') + 1000;
/** Most characters of a number that is read as a time. */
const longestTime = 100;

/** Whether a value is a platform time that Postgres can hold. */
export function isPlatformTime(value: unknown): value is number | ExactNumber {
  if (value instanceof ExactNumber && value.text.length > longestTime) return false;
  if (typeof value !== 'number' && !(value instanceof ExactNumber)) return false;
  const rounded = milliseconds(Number(value));
  return rounded >= earliest && rounded < afterLatest;
}

/** A time as ISO 8601 text in UTC, such as `2026-03-09T08:15:00.000Z`. The value must pass `isPlatformTime`. */
export function timestampText(value: number | ExactNumber): string {
  if (typeof value === 'number' && Number.isInteger(value))
    return new Date(milliseconds(value)).toISOString();
  const exact = new Big(String(value));
  const microseconds = exact.times(exact.lt(firstOfMilliseconds) ? 1_000_000 : 1_000).round(0);
  const whole = microseconds.div(1_000).round(0, Big.roundDown);
  const before = whole.times(1_000).gt(microseconds) ? whole.minus(1) : whole;
  const rest = microseconds.minus(before.times(1_000)).toFixed().padStart(3, '0');
  return `${new Date(before.toNumber()).toISOString().slice(0, -1)}${rest}Z`;
}

function milliseconds(time: number): number {
  return time < firstOfMilliseconds ? time * 1000 : time;
}
