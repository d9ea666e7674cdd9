import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duration, progressLine } from '../../src/reporting/progress-line.ts';

const halfway = {
  share: 0.5,
  part: 'slice',
  parts: { done: 750, total: 1500 },
  requests: { done: 250, total: 510 },
  records: 123_456,
  timeLeftMs: 30_000,
} as const;

test('the line says how far a run is, how long it takes, and what it has done', () => {
  expect(progressLine(halfway, 120)).toBe(
    '████████████░░░░░░░░░░░░  50% · 750/1500 slices · 30 s left · 250/510 requests · 123,456 records',
  );
});

test('on 80 columns nothing is cut, and the time left is there', () => {
  const line = progressLine(halfway, 80);
  expect(line).toBe('████░░░  50% · 750/1500 slices · 30 s left · 250/510 requests · 123,456 records');
  expect(line.length).toBeLessThan(80);
});

test('what is not known is not told', () => {
  const unknown = { ...halfway, requests: undefined, timeLeftMs: undefined, records: 0 };
  expect(progressLine(unknown, 120)).toBe('████████████░░░░░░░░░░░░  50% · 750/1500 slices · time left …');
});

test('the line is shorter than the screen, whatever the figures', () => {
  const count = fc.nat(10_000_000);
  fc.assert(
    fc.property(count, count, count, count, fc.nat(100), fc.integer({ min: 1, max: 300 }), (...figures) => {
      const [total, records, timeLeftMs, part, percent, columns] = figures;
      const done = Math.min(part, total);
      const [parts, requests] = [
        { done, total },
        { done: total, total: total + records },
      ];
      const progress = { share: percent / 100, part: 'step', parts, requests, records, timeLeftMs } as const;
      expect(progressLine(progress, columns).length).toBeLessThan(columns);
    }),
  );
});

test('durations are rounded up to what a reader can follow', () => {
  const shown = [1, 4_200, 5_001, 58_000, 61_000, 3_599_000, 7_200_001].map(duration);
  expect(shown).toEqual(['1 s', '5 s', '10 s', '60 s', '2 min', '60 min', '2 h 1 min']);
});
