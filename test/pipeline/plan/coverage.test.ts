import { describe, expect, it } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { coverageOf, isComplete } from '../../../src/pipeline/plan/coverage.ts';
import { known, ledgerOf, nothing } from '../../support/known-slices.ts';
import { sourceOf } from '../../support/samples.ts';

const users = [sourceOf('users')];
const today = day('2026-02-08');

describe('coverage', () => {
  const ledger = ledgerOf('users', {
    loaded: ['2026-02-01', '2026-02-04'],
    empty: ['2026-02-02'],
    pending: ['2026-02-06'],
    failed: ['2026-02-03'],
  });

  it('tells what is there, what is missing, what failed and what is not believed yet', () => {
    const days = { from: day('2026-02-01'), to: day('2026-02-07'), today };
    expect(coverageOf(users, known(ledger), days)).toEqual([
      {
        endpoint: 'users',
        first_day: '2026-02-01',
        last_day: '2026-02-04',
        days_loaded: 2,
        days_empty: 1,
        days_pending: 1,
        days_failed: 1,
        days_refused: 0,
        gaps_can_be_filled: true,
        gaps: ['2026-02-05', '2026-02-07'],
        failed: ['2026-02-03'],
        refused: [],
        pending: ['2026-02-06'],
      },
    ]);
  });

  it('looks for what is missing since the day that was asked for, unless it is told another', () => {
    const gaps = (asked: string, from?: string) =>
      coverageOf(users, known(ledger, { users: asked }), {
        from: from === undefined ? undefined : day(from),
        to: day('2026-02-05'),
        today,
      })[0]?.gaps;
    expect(gaps('2026-01-30')).toEqual(['2026-01-30', '2026-01-31', '2026-02-05']);
    expect(gaps('2026-02-05')).toEqual(['2026-02-05']);
    expect(gaps('2026-01-30', '2026-02-02')).toEqual(['2026-02-05']);
    expect(coverageOf(users, known(ledger), { from: undefined, to: day('2026-02-05'), today })).toMatchObject(
      [{ gaps: ['2026-02-05'] }],
    );
  });

  it('is complete when no day of the range is missing or failed, and the last one is not pending', () => {
    const check = (from: string, to: string) =>
      isComplete(coverageOf(users, known(ledger), { from: day(from), to: day(to), today }), {
        yesterday: day(to),
      });
    expect([
      check('2026-02-01', '2026-02-02'),
      check('2026-02-02', '2026-02-03'),
      check('2026-02-04', '2026-02-05'),
      check('2026-02-06', '2026-02-06'),
    ]).toEqual([true, false, false, false]);
    const pendingBefore = coverageOf(users, known(ledger), {
      from: day('2026-02-06'),
      to: day('2026-02-06'),
      today,
    });
    expect(isComplete(pendingBefore, { yesterday: day('2026-02-07') })).toBe(true);
  });

  it('is not complete where an answer was refused, also before the day that was asked for, and of an excused day', () => {
    const refusing = ledgerOf('users', { loaded: ['2026-02-01', '2026-02-04'] }, [], ['2026-02-01']);
    const of = (asked: string, from?: string) =>
      coverageOf(users, known(refusing, { users: asked }), {
        from: from === undefined ? undefined : day(from),
        to: day('2026-02-04'),
        today,
      });
    expect(of('2026-02-04')).toMatchObject([{ days_refused: 1, refused: ['2026-02-01'], gaps: [] }]);
    expect(of('2026-02-04', '2026-02-02')).toMatchObject([{ days_refused: 1, refused: [] }]);
    const [yesterday, excused] = [day('2026-02-04'), day('2026-02-01')];
    expect(isComplete(of('2026-02-04'), { yesterday, excused })).toBe(false);
    expect(isComplete(of('2026-02-04', '2026-02-04'), { yesterday })).toBe(true);
  });

  it('of nothing is not complete', () => {
    const coverage = coverageOf(users, nothing, { from: undefined, to: day('2026-02-05'), today });
    expect(coverage).toMatchObject([{ first_day: null, last_day: null, gaps: [] }]);
    expect(isComplete(coverage, { yesterday: day('2026-02-05') })).toBe(false);
  });
});
