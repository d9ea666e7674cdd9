import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber, parseJson, replaceUnstorableCharacters } from '../../src/model/json.ts';

describe('a parsed number', () => {
  it.each([
    '9007199254740993',
    '9999999999999999',
    '12345678901234567890',
    '0.123456789012345678',
    '123456789012345.678',
    '9223372036854775807',
    '1.2345678901234567e3',
    '-0.30000000000000004441',
  ])('keeps every digit of %s', (text) => {
    const { value } = parseJson(`[{"n": ${text}}]`);
    expect(JSON.stringify(value)).toBe(`[{"n":${text}}]`);
    expect(value).toEqual([{ n: new ExactNumber(text) }]);
  });

  it.each([
    '0',
    '-0.5',
    '1.5',
    '1e3',
    '9007199254740991',
    '10000000000000000',
    '0.1',
    '123456789012345',
    '1E-7',
  ])('is an ordinary one where that loses nothing: %s', (text) => {
    expect(parseJson(text).value).toBe(Number(text));
  });

  it('is either exact as a double or kept as its text', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})(\.\d{1,20})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const { value } = parseJson(text);
        if (value instanceof ExactNumber) expect(value.text).toBe(text);
        else expect(sameNumber(String(value), text)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('is left alone within strings, however many digits', () => {
    expect(parseJson('{"id": "12345678901234567890"}').value).toEqual({ id: '12345678901234567890' });
  });
});

it('text that is not JSON is refused', () => {
  for (const text of ['', '{', '01', '{"a":1,}', "{'a':1}", 'NaN', '[1] 2'])
    expect(() => parseJson(text), text).toThrow(SyntaxError);
});

describe('characters that Postgres text cannot hold', () => {
  it.each(['"\\u0000"', '"a\\ud83d"', '"\\uDC00b"', '{"\\u0000":1}'])('are announced by %s', (text) => {
    expect(parseJson(text).mayHoldUnstorableCharacters).toBe(true);
  });

  it('are not announced where there are none', () => {
    expect(parseJson('["\\u0001", "\\u00e9", "😀", "plain"]').mayHoldUnstorableCharacters).toBe(false);
  });

  it('are replaced by U+FFFD in strings and keys at any depth, and each is reported', () => {
    const { value } = parseJson(
      '{"a\\u0000":["x\\u0000y",{"b":"\\ud800","c":"fine 😀"}],"n":12345678901234567890}',
    );
    const reports: string[][] = [];
    const clean = replaceUnstorableCharacters(value, (...report) => void reports.push(report));
    expect(clean).toEqual({
      'a\uFFFD': ['x\uFFFDy', { b: '\uFFFD', c: 'fine 😀' }],
      n: new ExactNumber('12345678901234567890'),
    });
    expect(reports).toEqual([
      ['', 'a\uFFFD'],
      ['a\uFFFD[]', 'x\uFFFDy'],
      ['a\uFFFD[].b', '\uFFFD'],
    ]);
  });

  it('never survive, and everything else does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', noUnicodeString: false }), (original) => {
        const { value, mayHoldUnstorableCharacters } = parseJson(JSON.stringify(original));
        const clean = JSON.stringify(replaceUnstorableCharacters(value, () => undefined));
        expect(clean).not.toMatch(/\\u0000|\\ud[89a-f]/);
        if (!mayHoldUnstorableCharacters) expect(clean).toBe(JSON.stringify(value));
      }),
      { numRuns: 500 },
    );
  });
});

/** Whether two decimal texts without exponent, or with one that String() writes, mean the same number. */
function sameNumber(a: string, b: string): boolean {
  const canonical = (text: string) => {
    const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    const digits = `${whole}${fraction}`.replace(/^0+/, '');
    const trimmed = digits.replace(/0+$/, '');
    return `${trimmed}e${trimmed === '' ? 0 : Number(exponent) - fraction.length + digits.length - trimmed.length}`;
  };
  return canonical(a) === canonical(b);
}
