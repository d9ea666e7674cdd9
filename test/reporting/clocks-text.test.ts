import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { clocksInWords } from '../../src/reporting/clocks-text.ts';

const timeHere = Date.parse('2026-03-11T00:30:00Z');
const say = (timeThere: number | undefined) =>
  clocksInWords({
    type: 'day-not-served',
    day: day('2026-03-10'),
    servedUntil: day('2026-03-09'),
    timeHere,
    timeThere,
  });

test.each([
  ['ahead', 45 * 60_000, '45 min ahead of'],
  ['far ahead', (26 * 60 + 5) * 60_000, '1 d 2 h 5 min ahead of'],
  ['a whole day ahead', 86_400_000, '1 d ahead of'],
  ['behind', -3_600_000, '1 h behind'],
])('a clock that is %s is named with the difference', (_, aheadMs, words) => {
  const there = new Date(timeHere - aheadMs).toISOString().slice(0, 19);
  expect(say(timeHere - aheadMs)).toContain(
    `the clock of this machine (2026-03-11T00:30:00Z) is ${words} the platform's (${there}Z, from its Date header)`,
  );
  expect(say(timeHere - aheadMs)).toContain('does not serve 2026-03-10 yet, its last day is 2026-03-09');
});

test('a clock is not blamed when it agrees with that of the platform', () => {
  expect(say(timeHere - 2_000)).toContain("agrees with the platform's");
  expect(say(timeHere - 2_000)).not.toContain('set it right');
});

test('a platform that does not tell its time is no reason to be silent', () => {
  expect(say(undefined)).toContain("seems to be ahead of the platform's, which sends no time");
});
