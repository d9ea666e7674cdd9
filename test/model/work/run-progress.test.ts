import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, day as dayOf, daysOf } from '../../../src/model/day.ts';
import type { RunEvent } from '../../../src/model/run.ts';
import { type Read, readOf, type Source } from '../../../src/model/source.ts';
import { expectedRecords } from '../../../src/model/work/expected-records.ts';
import { LoadWork } from '../../../src/model/work/load-work.ts';
import type { PlannedRequests } from '../../../src/model/work/planned-work.ts';
import { RunProgress } from '../../../src/model/work/run-progress.ts';
import { activity } from '../../../src/sources/activity/source.ts';
import { users } from '../../../src/sources/users/source.ts';

const range = { from: dayOf('2026-03-02'), to: dayOf('2026-03-15') };
const days = daysOf(range);
const reads = (source: Source, keys: readonly (readonly string[])[]): Read[] =>
  keys.flatMap((each) => readOf(source, each) ?? []);
const planned = (records: Readonly<Record<string, number>>): PlannedRequests => ({
  reads: [
    ...reads(
      users,
      days.map((each) => [each]),
    ),
    ...reads(activity, [days.slice(0, 7), days.slice(7)]),
  ],
  records: new Map([['users', new Map(Object.entries(records))]]),
  limits: { requestsPerSecond: 10, maxConcurrency: 4, pageSize: 100 },
  fits: new Map(),
  answerMs: 50,
});

describe('the records to expect of a day', () => {
  const known = new Map([
    ['2026-03-06', 900],
    ['2026-03-07', 150],
    ['2026-03-09', 1000],
  ]);

  test.each([
    ['its own', '2026-03-07', 150],
    ['those of the same weekday', '2026-03-14', 150],
    ['those of the nearest day where no such weekday is known', '2026-03-10', 1000],
    ['those of the nearest day where all days are far', '2027-03-09', 1000],
    ['the mean where the key is no day', 'all', 2050 / 3],
  ])('are %s', (_, key, records) => {
    expect(expectedRecords(key, known)).toBe(records);
  });

  test('are unknown where nothing is known', () => {
    expect(expectedRecords('2026-03-07', new Map())).toBeUndefined();
  });
});

describe('the plan of a load', () => {
  test('names no time while nothing is known of the pages of a source', () => {
    const { requests, unknown, timeLeftMs } = new LoadWork(planned({}));
    expect({ requests, unknown, timeLeftMs }).toEqual({ unknown: ['users'] });
  });

  test('expects the pages of the days that are known, and of their neighbours', () => {
    const { requests, timeLeftMs } = new LoadWork(planned({ '2026-03-02': 1950 }));
    expect(requests).toEqual({ done: 0, total: 2 + days.length * 20 });
    expect(timeLeftMs).toBe((2 + days.length * 20) * 100);
  });

  test('expects less slices of a request where the platform accepts no more', () => {
    const work = new LoadWork({ ...planned({ '2026-03-02': 100 }), fits: new Map([['activity', 2]]) });
    expect(work.requests?.total).toBe(days.length + 4 + 4);
  });

  test('takes as long as the answers, where they are slower than the rate budget', () => {
    const work = new LoadWork({ ...planned({ '2026-03-02': 100 }), answerMs: 4_000 });
    expect(work.timeLeftMs).toBe((days.length + 2) * 1_000);
  });
});

/** The events of reading one day of users with so many records. */
function* dayOfUsers(key: string, records: number): Generator<RunEvent> {
  const slices = readOf(users, [key])?.slices;
  if (slices === undefined) return;
  for (let page = 0; page < Math.max(1, Math.ceil(records / 100)); page++)
    yield { type: 'answer-received', slices };
  yield { type: 'read-received', slices, records, bytes: 400 * records, fits: undefined };
  const changes = { inserted: records, updated: 0, deleted: 0, rejected: 0, refused: undefined };
  const outcome = { result: 'loaded', ...changes } as const;
  yield { type: 'slice-done', slice: slices[0], outcome, rowsRead: records, drift: [] };
}

const start = (asking: PlannedRequests): RunEvent => ({
  type: 'planned',
  slices: 0,
  newSlices: [],
  organizationId: '',
  asking,
});

describe('the bar', () => {
  test('never goes back, moves with every answer and ends full, whatever the days turn out to have', () => {
    const records = fc.array(fc.nat(3_000), { minLength: days.length, maxLength: days.length });
    fc.assert(
      fc.property(records, fc.option(fc.nat(3_000)), (sizes, guess) => {
        let now = 0;
        const progress = new RunProgress(() => now);
        const known: Record<string, number> = guess === null ? {} : { '2026-03-01': guess };
        progress.hear(start({ ...planned(known), reads: planned({}).reads.slice(0, days.length) }));
        let share = 0;
        for (const [index, key] of days.entries())
          for (const event of dayOfUsers(key, sizes[index] ?? 0)) {
            if (event.type === 'answer-received') now += 100;
            const hasMoved = progress.hear(event);
            const shown = progress.shown?.share ?? 0;
            if (hasMoved) expect(shown).toBeGreaterThan(share);
            if (event.type === 'answer-received') expect(hasMoved).toBe(true);
            share = shown;
          }
        expect(share).toBeCloseTo(1);
      }),
      { numRuns: 50 },
    );
  });

  test('learns the pages of all days as soon as another source knows them', () => {
    let now = 0;
    const progress = new RunProgress(() => now);
    progress.hear(start(planned({})));
    expect(progress.shown).toMatchObject({ requests: undefined, timeLeftMs: undefined });
    progress.hear({
      type: 'records-known',
      endpoint: 'users',
      records: new Map(days.map((each) => [each, 2_000])),
    });
    for (const event of dayOfUsers(addDays(range.from, 3), 2_000)) {
      if (event.type === 'answer-received') now += 100;
      progress.hear(event);
    }
    expect(progress.shown?.requests).toEqual({ done: 20, total: 20 * days.length + 2 });
    expect(progress.shown?.timeLeftMs).toBe((20 * (days.length - 1) + 2) * 100);
  });

  test('of steps counts each kind by the time that it takes', () => {
    let now = 0;
    const progress = new RunProgress(() => now);
    progress.hear({ type: 'steps-planned', steps: { compare: 100, check: 4 }, requestsAtLeast: 15 });
    const done = (kind: 'compare' | 'check', steps: number, ms: number) => {
      now += ms;
      progress.hear({ type: 'steps-done', kind, steps });
      return progress.shown;
    };
    expect(done('compare', 50, 1_000)).toMatchObject({ parts: { done: 50, total: 104 }, part: 'step' });
    expect(done('compare', 50, 1_000)?.timeLeftMs).toBeUndefined();
    expect(done('check', 1, 5_000)?.timeLeftMs).toBe(15_000);
    expect(done('check', 3, 15_000)?.share).toBe(1);
  });
});
