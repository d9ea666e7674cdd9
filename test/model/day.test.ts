import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  day,
  daysBetween,
  daysOf,
  isDay,
  laterOf,
  today,
  yesterday,
} from '../../src/model/day.ts';

const localZone = process.env.TZ;

afterEach(() => {
  if (localZone === undefined) delete process.env.TZ;
  else process.env.TZ = localZone;
});

const days = fc.date({ min: new Date('1970-01-01'), max: new Date('9998-12-31'), noInvalidDate: true });
const zones = [
  'UTC',
  'Pacific/Kiritimati',
  'Pacific/Niue',
  'America/St_Johns',
  'Africa/Cairo',
  'Asia/Kathmandu',
];

describe('a day', () => {
  it.each(['2026-01-14', '2024-02-29', '2000-02-29', '2026-12-31', '0001-01-01'])('exists: %s', (text) => {
    expect(isDay(text)).toBe(true);
    expect(day(text)).toBe(text);
  });

  it.each([
    '2026-02-29',
    '1900-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-04-31',
    '2026-1-1',
    '20260114',
    ' 2026-01-14',
    '2026-01-14\n',
    '2026-01-14T00:00:00Z',
    '+02026-01-14',
    '٢٠٢٦-٠١-١٤',
    '',
  ])('does not exist: %j', (text) => {
    expect(isDay(text)).toBe(false);
    expect(() => day(text)).toThrow(/expected a calendar day as YYYY-MM-DD, got/);
  });

  it('follows another as the calendar says', () => {
    expect(addDays(day('2024-02-28'), 1)).toBe('2024-02-29');
    expect(addDays(day('2026-02-28'), 1)).toBe('2026-03-01');
    expect(addDays(day('2026-01-01'), -1)).toBe('2025-12-31');
    expect(addDays(day('2026-03-29'), 0)).toBe('2026-03-29');
  });

  it('is told from the UTC clock in every local time zone', () => {
    for (const zone of zones) {
      process.env.TZ = zone;
      expect(
        yesterday(() => Date.parse('2026-03-09T23:59:59.999Z')),
        zone,
      ).toBe('2026-03-08');
      expect(
        yesterday(() => Date.parse('2026-03-10T00:00:00.000Z')),
        zone,
      ).toBe('2026-03-09');
      expect(
        today(() => Date.parse('2024-02-29T12:00:00Z')),
        zone,
      ).toBe('2024-02-29');
    }
  });

  it('is as many days away as were added, in every local time zone', () => {
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: -2000, max: 2000 }),
        fc.constantFrom(...zones),
        (date, count, zone) => {
          process.env.TZ = zone;
          const from = day(date.toISOString().slice(0, 10));
          fc.pre(date.getUTCFullYear() > 1976 && date.getUTCFullYear() < 9990);
          const to = addDays(from, count);
          expect(daysBetween(from, to)).toBe(count);
          expect(addDays(to, -count)).toBe(from);
          expect(laterOf(from, to)).toBe(count > 0 ? to : from);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a range of days', () => {
  it('holds both its ends', () => {
    expect(daysOf({ from: day('2024-02-28'), to: day('2024-03-01') })).toEqual([
      '2024-02-28',
      '2024-02-29',
      '2024-03-01',
    ]);
    expect(daysOf({ from: day('2026-01-14'), to: day('2026-01-14') })).toEqual(['2026-01-14']);
  });

  it('is empty when it ends before it begins', () => {
    expect(daysOf({ from: day('2026-01-15'), to: day('2026-01-14') })).toEqual([]);
  });
});

describe('months', () => {
  it.each([
    ['2026-05-17', -4, '2026-01-17'],
    ['2026-03-31', -1, '2026-02-28'],
    ['2024-01-31', 1, '2024-02-29'],
    ['2026-01-31', 0, '2026-01-31'],
  ])('%s and %i months is %s', (from, count, expected) => {
    expect(addMonths(day(from), count)).toBe(expected);
  });
});
