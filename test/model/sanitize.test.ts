import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSanitizer, sanitizeTexts } from '../../src/model/sanitize.ts';

const secret = 'kQ7vXw2ZpL9tRb4NcY8mJd';
const sanitize = createSanitizer([secret]);

/** Whether any six characters of the secret stand in a row. */
function showsPiece(text: string): boolean {
  for (let start = 0; start + 6 <= secret.length; start++)
    if (text.includes(secret.slice(start, start + 6))) return true;
  return false;
}

describe('text from outside', () => {
  it('never shows a piece of a secret, wherever the text is cut', () => {
    const filling = fc.constantFrom('a', 'é', '🙂', 'x@y.de ', ' ', '"', '\u001b', `${secret} `);
    const most = fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined });
    fc.assert(
      fc.property(filling, fc.integer({ min: 0, max: 3_000 }), most, (unit, length, mostCharacters) => {
        const text = `${unit.repeat(length / unit.length)}${secret}${unit.repeat(50)}`;
        expect(showsPiece(sanitize(text, mostCharacters))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is not looked through without end, and the piece where that ends shows nothing either', () => {
    // Each shrinks when it is hidden, so that the place where the looking ends moves to the front.
    for (const unit of ['x', `${secret} `, `${'e'.repeat(900)}@example.com `, `${secret.repeat(40)} `])
      for (const shift of [0, 5, 11, 17]) {
        const before = 65_536 - shift;
        const filled = `${'y'.repeat(before % unit.length)}${unit.repeat(before / unit.length)}`;
        expect(showsPiece(sanitize(`${filled}${secret} and more`, 100_000)), unit.slice(0, 30)).toBe(false);
      }
    expect(sanitize('x'.repeat(50_000_000)).length).toBeLessThan(2_100);
  });

  it('cannot steer a terminal, begin a line or turn the direction of writing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const shown = sanitize(text);
        expect(shown).not.toMatch(/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
        expect(shown.isWellFormed()).toBe(true);
        expect(sanitize(shown)).toBe(shown);
      }),
    );
    expect(sanitize('a\u001b[2Jb\nRun 8 succeeded\u009b1m \u202etxt.exe\u2029 \ud800')).toBe(
      'a\\u001b[2Jb\\u000aRun 8 succeeded\\u009b1m \\u202etxt.exe\\u2029 \\ud800',
    );
  });

  it('stays as it is when nothing is wrong with it', () => {
    for (const text of ['', 'naïve – 東京 🙂 👩‍💻', 'a\\b "c"', 'x'.repeat(2_000)])
      expect(sanitize(text)).toBe(text);
  });

  it('is cut between characters, and shows that it was', () => {
    expect(sanitize('🙂🙂🙂🙂', 5)).toBe('🙂🙂…');
    expect(sanitize('🙂🙂🙂🙂', 4)).toBe('🙂…');
  });
});

it('every text in plain data passes, names of fields included, and nothing else changes', () => {
  const error = new Error('a\nb');
  const data = { list: [`key ${secret}`, 7, null, true, undefined], 'na\nme': { deep: 'a\tb' }, error };
  expect(sanitizeTexts(data, sanitize)).toEqual({
    list: ['key [redacted]', 7, null, true, undefined],
    'na\\u000ame': { deep: 'a\\u0009b' },
    error,
  });
});
