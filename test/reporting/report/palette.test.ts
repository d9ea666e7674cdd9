/** Whoever sees badly can read a report, too, light or dark. */
import { describe, expect, test } from 'vitest';
import { dark, light } from '../../../src/reporting/report/palette.ts';
import { contrast } from '../../support/contrast.ts';

test('black on white is 21 to 1', () => {
  expect(contrast('#000000', 'rgb(255, 255, 255)')).toBeCloseTo(21);
  expect(contrast('color(srgb 1 1 1)', '#ffffff')).toBe(1);
});

describe.each([
  ['light', light],
  ['dark', dark],
])('%s', (_, { page, surface, ink, muted, drawn }) => {
  test.each([page, surface])('what is written stands out from %s 4.5 to 1', (ground) => {
    for (const text of [ink, muted]) expect(contrast(text, ground), text).toBeGreaterThanOrEqual(4.5);
  });

  test('what is drawn stands out 3 to 1', () => {
    for (const color of drawn) expect(contrast(color, surface), color).toBeGreaterThanOrEqual(3);
  });
});
