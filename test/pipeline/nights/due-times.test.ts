import { expect, test } from 'vitest';
import { dueTimesOf } from '../../../src/pipeline/nights/due-times.ts';

const moment = (text: string) => Date.parse(text);
const shown = (timeMs: number | undefined) => new Date(timeMs ?? Number.NaN).toISOString();

test.each([
  ['15 2 * * *', '2026-03-10T02:14:59.999Z', '2026-03-10T02:15:00.000Z'],
  ['15 2 * * *', '2026-03-10T02:15:00Z', '2026-03-11T02:15:00.000Z'],
  ['30 15 2 * * *', '2026-03-10T02:15:00Z', '2026-03-10T02:15:30.000Z'],
  ['* * * * * *', '2026-12-31T23:59:59Z', '2027-01-01T00:00:00.000Z'],
  ['0 1,13 * * mon-fri', '2026-03-13T13:00:00Z', '2026-03-16T01:00:00.000Z'],
  ['0 0 29 2 *', '2026-03-10T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  // In many time zones there is no such time on that day, or there are two.
  ['30 2 * * *', '2026-03-29T00:00:00Z', '2026-03-29T02:30:00.000Z'],
])('%s is next due after %s at %s, in UTC', (expression, after, next) => {
  expect(shown(dueTimesOf(expression)?.next(moment(after)))).toBe(next);
});

test.each([
  ['15 2 * * *', '2026-03-10T02:15:00Z', '2026-03-10T02:15:00.000Z'],
  ['15 2 * * *', '2026-03-10T02:14:59Z', '2026-03-09T02:15:00.000Z'],
  ['0 0 29 2 *', '2026-03-10T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['*/20 * * * * *', '2026-03-10T02:14:59Z', '2026-03-10T02:14:40.000Z'],
])('%s was last due by %s at %s', (expression, at, last) => {
  expect(shown(dueTimesOf(expression)?.last(moment(at)))).toBe(last);
});

test.each(['', '15 2 * *', '0 15 2 * * * *', '61 * * * *', '0 0 30 2 *', '@daily', 'tomorrow'])(
  '%j is no schedule',
  (expression) => {
    expect(dueTimesOf(expression)).toBeUndefined();
  },
);
