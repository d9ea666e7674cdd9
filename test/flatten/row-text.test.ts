import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRow, rewriteRow, writeFigures, writeValues } from '../../src/flatten/row-text.ts';
import { ExactNumber } from '../../src/model/json.ts';

const text = fc.oneof(
  fc.constantFrom('null', '', ',', '\\', '\\,', '\n', '\r\n', '\\\\', ',,', '\\.', '[]'),
  fc.string({ unit: fc.constantFrom(',', '\\', '\n', 'a', '😀') }),
);
const value = fc.oneof(text, fc.constant(null), fc.integer(), fc.boolean());

describe('the text of a row', () => {
  it('has as many values as were written, and null only where there was none', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), (values) => {
        const row = writeValues(values);
        const read = readRow(row);
        expect(read.map((each) => each === null)).toEqual(values.map((each) => each === null));
        expect(rewriteRow(read, row)).toBe(row);
        // Nothing within ends the line, or the row beside it.
        expect(row.slice(1, -1)).not.toMatch(/[\n\r]/);
      }),
    );
  });

  it('differs for rows that differ', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 2, maxLength: 2 }),
        fc.array(value, { minLength: 2, maxLength: 2 }),
        (a, b) => {
          const asText = (values: readonly unknown[]) =>
            JSON.stringify(values.map((each) => (each === null ? null : String(each))));
          expect(writeValues(a) === writeValues(b)).toBe(asText(a) === asText(b));
        },
      ),
    );
  });

  it('of figures keeps every digit', () => {
    const row = writeFigures([1, null, undefined, true, new ExactNumber('0.12345678901234567890')]);
    expect(readRow(row)).toEqual(['1', null, null, 'true', '0.12345678901234567890']);
    expect(rewriteRow(readRow(row), row)).toBe(row);
    expect(readRow(writeFigures([]))).toEqual([]);
  });
});
