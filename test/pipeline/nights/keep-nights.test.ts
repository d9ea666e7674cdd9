import { expect, test } from 'vitest';
import type { Night, NightEvent, TryEnd, Verdict } from '../../../src/model/night.ts';
import { dueTimesOf } from '../../../src/pipeline/nights/due-times.ts';
import { keepNights } from '../../../src/pipeline/nights/keep-nights.ts';
import { waitOn } from '../../../src/pipeline/nights/wait-until.ts';

const minuteMs = 60_000;

interface Play {
  /** When it begins, UTC. */
  readonly at: string;
  /** How long a try takes, by its number from 1. */
  readonly minutes?: (attempt: number) => number;
  /** What a try ends in. */
  readonly verdict: (attempt: number) => Verdict;
  readonly isWhole?: boolean;
  readonly schedule?: string;
  /** What the clock shows once the first wait has begun, when it is set right. */
  readonly setTo?: string;
  /** After so many tries it is told to end. */
  readonly tries: number;
}

/** Keeps nights by a clock that jumps to whatever is waited for; tries are told as `time night`. */
async function play({
  at,
  minutes = () => 1,
  verdict,
  isWhole = true,
  schedule = '15 2 * * *',
  setTo,
  tries,
}: Play) {
  let now = Date.parse(at);
  let underWay = 0;
  const abort = new AbortController();
  const due = dueTimesOf(schedule);
  if (due === undefined) throw new TypeError('expected a schedule');
  const told: string[] = [];
  const events: NightEvent[] = [];
  let attempts = 0;
  let waits = 0;
  const ended = await keepNights({
    due,
    clock: () => now,
    waitUntil: async (timeMs) => {
      waits += 1;
      now = waits === 1 && setTo !== undefined ? Date.parse(setTo) : Math.max(now, timeMs);
    },
    signal: abort.signal,
    retryMs: 30 * minuteMs,
    isWhole: async () => isWhole,
    attempt: async ({ day }: Night): Promise<TryEnd> => {
      attempts += 1;
      underWay += 1;
      told.push(`${new Date(now).toISOString().slice(0, 16)} ${day}`);
      await Promise.resolve();
      expect(underWay).toBe(1);
      now += minutes(attempts) * minuteMs;
      underWay -= 1;
      return { verdict: verdict(attempts), status: 'failed', runId: attempts };
    },
    onEvent(event) {
      events.push(event);
      if (event.type === 'try-ended' && attempts === tries) abort.abort();
    },
  });
  return { told, events, ended };
}

test('a night is loaded when it is due, and is named by the day before', async () => {
  const { told, ended } = await play({ at: '2026-03-10T00:00Z', verdict: () => 'good', tries: 3 });
  expect(told).toEqual([
    '2026-03-10T02:15 2026-03-09',
    '2026-03-11T02:15 2026-03-10',
    '2026-03-12T02:15 2026-03-11',
  ]);
  expect(ended).toEqual({ tries: 3, badTries: 0 });
});

test.each<Verdict>(['bad', 'early'])(
  'a try that was %s is followed by another until one is good',
  async (verdict) => {
    const { told } = await play({
      at: '2026-03-10T00:00Z',
      verdict: (attempt) => (attempt < 3 ? verdict : 'good'),
      tries: 4,
    });
    expect(told).toEqual([
      '2026-03-10T02:15 2026-03-09',
      '2026-03-10T02:46 2026-03-09',
      '2026-03-10T03:17 2026-03-09',
      '2026-03-11T02:15 2026-03-10',
    ]);
  },
);

test('a night that never becomes whole gives way to the next one, which keeps its own count of bad tries', async () => {
  const { told, events } = await play({ at: '2026-03-10T00:00Z', verdict: () => 'bad', tries: 48 });
  // Every 31 minutes, until the next night is due.
  expect(told.filter((each) => each.endsWith('2026-03-09'))).toHaveLength(47);
  expect(told.at(-1)).toBe('2026-03-11T02:15 2026-03-10');
  const failed = events.flatMap((event) => (event.type === 'try-ended' ? [event.failedTries] : []));
  expect([failed.at(0), failed.at(46), failed.at(47)]).toEqual([1, 47, 1]);
});

test('a night that comes due while a try takes long begins when that has ended, and never beside it', async () => {
  const { told } = await play({
    at: '2026-03-10T00:00Z',
    minutes: (attempt) => (attempt === 1 ? 2 * 24 * 60 + 10 : 1),
    verdict: () => 'good',
    tries: 3,
  });
  expect(told).toEqual([
    '2026-03-10T02:15 2026-03-09',
    // Of the two that came due, the later one fills the gap of the other.
    '2026-03-12T02:25 2026-03-11',
    '2026-03-13T02:15 2026-03-12',
  ]);
});

test('a night that was missed begins at once, and one that is whole is not tried again', async () => {
  const missed = await play({ at: '2026-03-10T01:00Z', isWhole: false, verdict: () => 'good', tries: 2 });
  expect(missed.told).toEqual(['2026-03-10T01:00 2026-03-08', '2026-03-10T02:15 2026-03-09']);
  const whole = await play({ at: '2026-03-10T01:00Z', verdict: () => 'good', tries: 1 });
  expect(whole.told).toEqual(['2026-03-10T02:15 2026-03-09']);
});

test('a night that is due several times a day is tried each time, and its bad tries are counted together', async () => {
  const { told, events } = await play({
    at: '2026-03-10T00:30Z',
    schedule: '0 */6 * * *',
    minutes: () => 345,
    verdict: (attempt) => (attempt < 3 ? 'bad' : 'good'),
    tries: 3,
  });
  expect(told).toEqual([
    '2026-03-10T06:00 2026-03-09',
    '2026-03-10T12:00 2026-03-09',
    '2026-03-10T18:00 2026-03-09',
  ]);
  const failed = events.flatMap((event) => (event.type === 'try-ended' ? [event.failedTries] : []));
  expect(failed).toEqual([1, 2, 0]);
});

test('whoever watches hears when the next try comes, and how many tries of a night were bad', async () => {
  const { events } = await play({
    at: '2026-03-10T00:00Z',
    verdict: (attempt) => (attempt === 1 ? 'bad' : 'good'),
    tries: 2,
  });
  const minute = (time: string) => Date.parse(`2026-03-10T${time}Z`);
  expect(events.filter(({ type }) => type === 'waiting')).toEqual([
    { type: 'waiting', nextTryMs: minute('02:15'), failedTries: 0 },
    { type: 'waiting', nextTryMs: minute('02:46'), failedTries: 1 },
  ]);
});

test('a clock that is put back has the nights of its new time kept, and none of the time that it showed before', async () => {
  const { told } = await play({
    at: '2027-03-10T00:00Z',
    setTo: '2026-03-10T00:00Z',
    verdict: () => 'good',
    tries: 2,
  });
  expect(told).toEqual(['2026-03-10T02:15 2026-03-09', '2026-03-11T02:15 2026-03-10']);
});

test('a wait ends when the clock is put back', async () => {
  const times = ['2027-03-10T00:00Z', '2026-03-10T00:00Z'].map((time) => Date.parse(time));
  const clock = () => (times.length > 1 ? times.shift() : times[0]) ?? 0;
  await waitOn(clock)(Date.parse('2027-03-10T02:15Z'), new AbortController().signal);
  expect(clock()).toBe(Date.parse('2026-03-10T00:00Z'));
});
