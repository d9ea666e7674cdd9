import { describe, expect, it } from 'vitest';
import { addDays, type Day, day, daysOf, earliestDay } from '../../../src/model/day.ts';
import { type Read, readOf, splitRead } from '../../../src/model/source.ts';
import {
  earliestLoadedDay,
  type KnownSlices,
  planBackfill,
  planNightly,
} from '../../../src/pipeline/plan/plan.ts';
import { dailySources as sources } from '../../../src/sources/registry.ts';
import { known, ledgerOf, nothing } from '../../support/known-slices.ts';
import { sourceOf } from '../../support/samples.ts';

const activity = [sourceOf('activity')];
const users = [sourceOf('users')];

const range = (from: string, to: string): Day[] => daysOf({ from: day(from), to: day(to) });
const daysIn = (reads: readonly Read[]) => reads.map(({ slices }) => [slices[0].key, slices.at(-1)?.key]);
/** All days of reads. */
const daysOfRead = ({ slices }: Read) => slices.map(({ key }) => key);
const today = day('2026-03-10');

describe('a backfill', () => {
  const options = { force: false, windowDays: 7, today };

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
    expect(reads.flatMap(daysOfRead).sort()).toEqual(range('2026-01-16', '2026-02-02'));
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
    expect(planBackfill(activity, all, known(ledger), options).flatMap(daysOfRead)).toEqual([
      '2026-01-17',
      '2026-01-18',
      '2026-01-19',
      '2026-01-20',
      '2026-01-14',
    ]);
    expect(
      planBackfill(activity, all, known(ledger), { ...options, force: true }).flatMap(daysOfRead),
    ).toHaveLength(7);
  });

  it('looks at each endpoint for itself', () => {
    const ledger = ledgerOf('users', { loaded: ['2026-01-14'] });
    const reads = planBackfill(sources, { from: earliestDay, to: earliestDay }, known(ledger), options);
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
      today,
    });
    expect(reads).toHaveLength(4);
  });
});

describe('a night', () => {
  const options = { lookbackDays: 3, windowDays: 7, today };

  it('reads yesterday and the days before it, even when they are loaded', () => {
    const ledger = ledgerOf('users', { loaded: range('2026-03-01', '2026-03-09') });
    expect(planNightly(users, day('2026-03-09'), known(ledger), options).flatMap(daysOfRead)).toEqual([
      '2026-03-09',
      '2026-03-08',
      '2026-03-07',
      '2026-03-06',
    ]);
  });

  const held = range('2026-02-01', '2026-03-09').filter(
    (text) => !['2026-02-10', '2026-02-20'].includes(text),
  );
  const partly = new Map([
    ...ledgerOf('activity', { loaded: held, failed: ['2026-02-20'] }),
    ...ledgerOf('users', { loaded: range('2026-02-03', '2026-03-09'), pending: ['2026-02-02'] }),
  ]);
  /** Days before the lookback that a night reads, by endpoint. */
  const filled = (slices: KnownSlices) =>
    Object.fromEntries(
      sources.map(({ name }) => [
        name,
        planNightly(sources, day('2026-03-09'), slices, options)
          .filter(({ source }) => source.name === name)
          .flatMap(daysOfRead)
          .filter((text) => text < '2026-03-06')
          .sort(),
      ]),
    );

  it('fills every gap since the day that each endpoint was asked for, whatever is loaded', () => {
    const asked = { activity: '2026-02-15', users: '2026-02-02', tokens: '2026-03-04', tools: '2026-03-09' };
    expect(filled(known(partly, { ...asked, productivity: '2026-01-31' }))).toEqual({
      activity: ['2026-02-20'],
      users: ['2026-02-02'],
      tokens: ['2026-03-04', '2026-03-05'],
      tools: [],
      productivity: range('2026-01-31', '2026-03-05'),
    });
  });

  it('fills every gap since the earliest loaded day of any endpoint where nobody asked', () => {
    expect(filled(known(partly))).toEqual({
      activity: ['2026-02-10', '2026-02-20'],
      users: ['2026-02-01', '2026-02-02'],
      ...Object.fromEntries(
        ['tokens', 'tools', 'productivity'].map((name) => [name, range('2026-02-01', '2026-03-05')]),
      ),
    });
  });

  it('reads again every slice whose last reading failed, however old it is', () => {
    const ledger = ledgerOf('users', { loaded: range('2026-01-14', '2026-03-09'), empty: ['2026-01-20'] }, [
      '2026-01-15',
      '2026-01-20',
      '2026-03-01',
    ]);
    const asked = { users: '2026-03-09' };
    expect(filled(known(ledger, asked)).users).toEqual(['2026-01-15', '2026-01-20', '2026-03-01']);
  });

  it('asks again for every day that is pending, however old, also before all that was asked for', () => {
    const ledger = ledgerOf('users', {
      loaded: range('2026-02-01', '2026-03-09'),
      pending: ['2026-01-15', '2026-01-20'],
    });
    expect(filled(known(ledger, { users: '2026-02-01' })).users).toEqual(['2026-01-15', '2026-01-20']);
  });

  it('begins with the lookback when nothing is loaded or asked for, whatever failed before', () => {
    const ledger = ledgerOf('users', { failed: ['2026-01-20'], empty: ['2026-01-21'] });
    expect(planNightly(users, day('2026-03-09'), known(ledger), options)).toHaveLength(4);
    expect(earliestLoadedDay(ledger)).toBeUndefined();
  });

  it('reads no day before the service began', () => {
    expect(
      planNightly(users, day('2026-01-15'), nothing, { ...options, lookbackDays: 30 }).flatMap(daysOfRead),
    ).toEqual(['2026-01-15', '2026-01-14']);
    expect(planNightly(users, day('2026-01-13'), nothing, options)).toEqual([]);
  });

  it('without lookback reads yesterday alone', () => {
    const ledger = ledgerOf('users', { loaded: range('2026-03-01', '2026-03-09') });
    expect(
      planNightly(users, day('2026-03-09'), known(ledger), { ...options, lookbackDays: 0 }).flatMap(
        daysOfRead,
      ),
    ).toEqual(['2026-03-09']);
  });
});

describe('a read that was too large', () => {
  it('is split into halves that hold all its days, down to single ones', () => {
    const [read] = planBackfill(activity, { from: earliestDay, to: addDays(earliestDay, 6) }, nothing, {
      force: false,
      windowDays: 7,
      today,
    });
    const halves = read && splitRead(read);
    expect(halves?.map(({ slices }) => slices.length)).toEqual([4, 3]);
    expect(halves?.flatMap(daysOfRead)).toEqual(read && daysOfRead(read));
    const single = readOf(sourceOf('activity'), [earliestDay]);
    expect(single && splitRead(single)).toBeUndefined();
  });
});
