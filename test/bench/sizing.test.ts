/** Only figures of full sizes come into docs/operations.md. */
import { expect, test } from 'vitest';
import { sizingResults } from '../../tools/sizing-table.ts';

test('small sizes are not shown', () => {
  expect(() =>
    sizingResults.parse({ machine: { date: '', postgres: '' }, quick: true, figures: [] }),
  ).toThrow();
});
