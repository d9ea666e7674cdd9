import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { createTextSearch } from '../../src/model/text-search.ts';

test('many texts are found at the same places as few', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 12 });
  const fillers = Array.from({ length: 64 }, (_, index) => `filler ${index}`);
  fc.assert(
    fc.property(
      fc.array(word),
      fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 }),
      (texts, within) => {
        const sorted = (search: ReturnType<typeof createTextSearch>) =>
          search(within).toSorted((a, b) => a.at - b.at || a.text.length - b.text.length);
        expect(sorted(createTextSearch([...texts, ...fillers]))).toEqual(sorted(createTextSearch(texts)));
      },
    ),
  );
});

test('the keys of a thousand organizations are hidden, plain and encoded, in little time', () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `sk-${index}-${'k'.repeat(30)}${index * 7919}`);
  const sanitize = createSanitizer(keys);
  const key = keys[500] ?? '';
  for (const written of [
    key,
    encodeURIComponent(key),
    Buffer.from(key).toString('base64'),
    Buffer.from(key).toString('hex'),
  ])
    expect(sanitize(`the platform said: ${written}; and more`)).toMatch(
      /^the platform said: \[redacted\]=?; and more$/,
    );
  const startedAt = performance.now();
  for (let index = 0; index < 1_000; index++)
    sanitize(`slice tokens 2026-01-14 failed: HTTP 500 at ${index}`);
  // Looking for each key in each text takes seconds.
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
