import fc from 'fast-check';
import { expect, it } from 'vitest';
import { numberText } from '../../src/reporting/number-text.ts';

it('numbers are written as English writes them, whole or not, negative or not', () => {
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.double({ noNaN: true })), (value) => {
      if (!Object.is(value, -0)) expect(numberText(value)).toBe(value.toLocaleString('en'));
    }),
  );
  expect([0, 999, 1000, -1234567, 0.5].map(numberText)).toEqual(['0', '999', '1,000', '-1,234,567', '0.5']);
});
