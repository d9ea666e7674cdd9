import { describe, expect, it } from 'vitest';
import { addDays, type Day, day, daysOf, earliestDay } from '../../src/model/day.ts';
import { coverageOf, isComplete } from '../../src/pipeline/coverage.ts';
import {
  earliestLoadedDay,
  type PlannedRead,
  planBackfill,
  planNightly,
  splitRead,
} from '../../src/pipeline/plan.ts';
import { sources } from '../../src/sources/registry.ts';
import {
  type Ledger,
  type LedgerEntry,
  ledgerKey,
  type SliceStatus,
} from '../../src/warehouse/ledger/slice-ledger.ts';
import { sourceOf } from '../support/samples.ts';

const activity = [sourceOf('activity')];
const users = [sourceOf('users')];

function ledgerOf(endpoint: string, states: Partial<Record<SliceStatus, readonly string[]>>): Ledger {
  const statuses = ['loaded', 'empty', 'pending', 'failed'] as const;
  const entries = statuses.flatMap((status) =>
    (states[status] ?? []).map((text): [string, LedgerEntry] => [
      ledgerKey(endpoint, text),
      {
        endpoint,
        key: text,
        usageDate: day(text),
        status,
        contentHash: null,
        sourceHash: null,
        tableRows: {},
      },
    ]),
  );
  return new Map(entries);
}

const range = (from: string, to: string): Day[] => daysOf({ from: day(from), to: day(to) });
const daysIn = (reads: readonly PlannedRead[]) => reads.map(({ days }) => [days[0], days.at(-1)]);
const nothing: Ledger = new Map();

describe('a backfill', () => {
  const options = { force: false, windowDays: 7 };

  it('reads windows on a grid from the first day of the service, newest first', () => {
    const reads = planBackfill(
      activity,
      { from: day('2026-01-16'), to: day('2026-02-02') },
      nothing,
      options,
    );
    expect(daysIn(reads)).toEqual([
      ['2026-01-28', '2026-02-02'],
      ['2026-01-21', '2026-01-27'],
      ['2026-01-16', '2026-01-20'],
    ]);
    expect(reads.flatMap(({ days }) => days).sort()).toEqual(range('2026-01-16', '2026-02-02'));
  });

  it('reads a source that comes in pages day by day', () => {
    const reads = planBackfill(users, { from: day('2026-01-16'), to: day('2026-01-18') }, nothing, options);
    expect(daysIn(reads)).toEqual(['2026-01-18', '2026-01-17', '2026-01-16'].map((text) => [text, text]));
  });

  it('leaves out what the ledger holds, and reads again what is pending or failed', () => {
    const ledger = ledgerOf('activity', {
      loaded: ['2026-01-15'],
      empty: ['2026-01-16'],
      pending: ['2026-01-18'],
      failed: ['2026-01-19'],
    });
    const all = { from: earliestDay, to: day('2026-01-20') };
    expect(planBackfill(activity, all, ledger, options).flatMap(({ days }) => days)).toEqual([
      '2026-01-17',
      '2026-01-18',
      '2026-01-19',
      '2026-01-20',
      '2026-01-14',
    ]);
    expect(
      planBackfill(activity, all, ledger, { ...options, force: true }).flatMap(({ days }) => days),
    ).toHaveLength(7);
  });

  it('looks at each endpoint for itself', () => {
    const ledger = ledgerOf('users', { loaded: ['2026-01-14'] });
    const reads = planBackfill(sources, { from: earliestDay, to: earliestDay }, ledger, options);
    expect(reads.map(({ source }) => source.name).sort()).toEqual([
      'activity',
      'productivity',
      'tokens',
      'tools',
    ]);
  });

  it('asks for single days with a window of one', () => {
    const reads = planBackfill(activity, { from: earliestDay, to: day('2026-01-17') }, nothing, {
      force: false,
      windowDays: 1,
    });
    expect(reads).toHaveLength(4);
  });
});

describe('a night', () => {
  const options = { lookbackDays: 3, windowDays: 7 };

  it('reads yesterday and the days before it, even when they are loaded', () => {
    const ledger = ledgerOf('users', { loaded: range('2026-03-01', '2026-03-09') });
    expect(planNightly(users, day('2026-03-09'), ledger, options).flatMap(({ days }) => days)).toEqual([
      '2026-03-09',
      '2026-03-08',
      '2026-03-07',
      '2026-03-06',
    ]);
  });

  it('fills every gap since the earliest loaded day, in all endpoints', () => {
    const held = range('2026-02-01', '2026-03-09').filter(
      (text) => !['2026-02-10', '2026-02-20'].includes(text),
    );
    const ledger = new Map([
      ...ledgerOf('activity', { loaded: held, failed: ['2026-02-20'] }),
      ...ledgerOf('users', { loaded: range('2026-02-03', '2026-03-09') }),
    ]);
    const days = (name: string) =>
      planNightly(sources, day('2026-03-09'), ledger, options)
        .filter(({ source }) => source.name === name)
        .flatMap((read) => read.days)
        .filter((text) => text < '2026-03-06')
        .sort();
    expect(days('activity')).toEqual(['2026-02-10', '2026-02-20']);
    expect(days('users')).toEqual(['2026-02-01', '2026-02-02']);
    expect(days('tokens')).toEqual(range('2026-02-01', '2026-03-05'));
  });

  it('begins with the lookback when nothing is loaded, whatever failed before', () => {
    const ledger = ledgerOf('users', { failed: ['2026-01-20'], empty: ['2026-01-21'] });
    expect(planNightly(users, day('2026-03-09'), ledger, options)).toHaveLength(4);
    expect(earliestLoadedDay(ledger)).toBeUndefined();
  });

  it('reads no day before the service began', () => {
    expect(
      planNightly(users, day('2026-01-15'), nothing, { ...options, lookbackDays: 30 }).flatMap(
        ({ days }) => days,
      ),
    ).toEqual(['2026-01-15', '2026-01-14']);
    expect(planNightly(users, day('2026-01-13'), nothing, options)).toEqual([]);
  });

  it('without lookback reads yesterday alone', () => {
    const ledger = ledgerOf('users', { loaded: range('2026-03-01', '2026-03-09') });
    expect(
      planNightly(users, day('2026-03-09'), ledger, { ...options, lookbackDays: 0 }).flatMap(
        ({ days }) => days,
      ),
    ).toEqual(['2026-03-09']);
  });
});

describe('a read that was too large', () => {
  it('is split into halves that hold all its days, down to single ones', () => {
    const [read] = planBackfill(activity, { from: earliestDay, to: addDays(earliestDay, 6) }, nothing, {
      force: false,
      windowDays: 7,
    });
    const halves = read && splitRead(read);
    expect(halves?.map(({ days }) => days.length)).toEqual([4, 3]);
    expect(halves?.flatMap(({ days }) => days)).toEqual(read?.days);
    expect(splitRead({ source: sourceOf('activity'), days: [earliestDay] })).toBeUndefined();
  });
});

describe('coverage', () => {
  const ledger = ledgerOf('users', {
    loaded: ['2026-02-01', '2026-02-04'],
    empty: ['2026-02-02'],
    pending: ['2026-02-06'],
    failed: ['2026-02-03'],
  });

  it('tells what is there, what is missing and what failed', () => {
    expect(coverageOf(users, ledger, { from: day('2026-02-01'), to: day('2026-02-06') })).toEqual([
      {
        endpoint: 'users',
        first_day: '2026-02-01',
        last_day: '2026-02-04',
        days_loaded: 2,
        days_empty: 1,
        days_pending: 1,
        days_failed: 1,
        gaps: ['2026-02-05', '2026-02-06'],
        failed: ['2026-02-03'],
      },
    ]);
  });

  it('is complete when no day of the range is missing or failed', () => {
    const check = (from: string, to: string) =>
      isComplete(coverageOf(users, ledger, { from: day(from), to: day(to) }));
    expect([
      check('2026-02-01', '2026-02-02'),
      check('2026-02-02', '2026-02-03'),
      check('2026-02-04', '2026-02-05'),
    ]).toEqual([true, false, false]);
    expect(coverageOf(users, nothing, undefined)).toMatchObject([
      { first_day: null, last_day: null, gaps: [] },
    ]);
  });
});
