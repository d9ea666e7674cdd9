import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duration, progressLine, timeLeft } from '../../src/reporting/progress-line.ts';

const halfway = {
  done: 750,
  total: 1500,
  rows: 123_456,
  requests: 250,
  elapsedMs: 30_000,
  lastDoneMs: 30_000,
};

test('the line says how far a run is, how long it takes, and what it has done', () => {
  expect(progressLine(halfway, 120)).toBe(
    '████████████░░░░░░░░░░░░  50% · 750/1500 slices · 30 s left · 123,456 rows · 250 requests',
  );
});

test('on 80 columns nothing is cut, and the time left is there', () => {
  const line = progressLine(halfway, 80);
  expect(line).toBe('███████░░░░░░░  50% · 750/1500 slices · 30 s left · 123,456 rows · 250 requests');
  expect(line.length).toBeLessThan(80);
});

test('the line is shorter than the screen, whatever the figures', () => {
  const count = fc.nat(10_000_000);
  fc.assert(
    fc.property(count, count, count, count, count, fc.integer({ min: 1, max: 300 }), (...figures) => {
      const [total, rows, requests, elapsedMs, part, columns] = figures;
      const done = Math.min(part, total);
      expect(
        progressLine({ done, total, rows, requests, elapsedMs, lastDoneMs: elapsedMs }, columns).length,
      ).toBeLessThan(columns);
    }),
  );
});

test('the time left settles: slices that come in bursts do not make it jump', () => {
  const total = 1500;
  const shown: { seconds: number; step: number }[] = [];
  // Lists of a hundred slices, ten seconds apart or a little more, looked at twice a second.
  const bursts = Array.from({ length: 15 }, (_, index) => (index + 1) * 10_000 + (index % 3) * 1_000);
  for (let elapsedMs = 0; elapsedMs < (bursts.at(-1) ?? 0); elapsedMs += 500) {
    const past = bursts.filter((at) => at <= elapsedMs);
    const progress = { done: 100 * past.length, total, rows: 0, requests: 0, elapsedMs };
    const text = timeLeft({ ...progress, lastDoneMs: past.at(-1) ?? 0 });
    const [, figure, unit] = /^(\d+) (s|min) left$/.exec(text) ?? [];
    const step = unit === 'min' ? 60 : 5;
    if (figure !== undefined) shown.push({ seconds: Number(figure) * (unit === 'min' ? 60 : 1), step });
  }
  expect(shown.length).toBeGreaterThan(200);
  for (const [index, { seconds, step }] of shown.entries()) {
    const before = shown[index - 1] ?? { seconds, step };
    expect(seconds - before.seconds, `${index}`).toBeLessThanOrEqual(Math.max(step, before.step));
  }
});

test('no time is told before there is anything to tell it from', () => {
  for (const [done, elapsedMs] of [
    [0, 60_000],
    [10, 1_000],
    [10, 60_000],
  ] as const)
    expect(timeLeft({ done, total: 1500, rows: 0, requests: 0, elapsedMs, lastDoneMs: elapsedMs })).toBe(
      'time left …',
    );
});

test('durations are rounded up to what a reader can follow', () => {
  const shown = [1, 4_200, 5_001, 58_000, 61_000, 3_599_000, 7_200_001].map(duration);
  expect(shown).toEqual(['1 s', '5 s', '10 s', '60 s', '2 min', '60 min', '2 h 1 min']);
});
