import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  codePoints,
  codePointsOfAll,
  inherited,
  listLength,
  position,
  withParts,
} from '../../src/model/derivations.ts';

const at = { index: 3, above: { role: 'user' } };

it('code points are counted as Unicode does, halves of pairs included', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '😀', '\ud83d', '\ude00', 'é', '\0') }), (text) => {
      expect(codePoints([text], at)).toBe([...text].length);
      expect(codePointsOfAll('text')([[{ text }, { text: 7 }, null, { text }]], at)).toBe(
        2 * [...text].length,
      );
    }),
  );
});

it('what has no value gives none, and nothing throws', () => {
  for (const nothing of [null, undefined, 7, {}])
    for (const derive of [codePoints, codePointsOfAll('text'), listLength, withParts('x')])
      expect(derive([nothing], at)).toBeNull();
  expect(inherited('role')([], { index: 0, above: undefined })).toBeNull();
});

it('the place, the list and the entry above give values', () => {
  expect(position([], at)).toBe(3);
  expect(listLength([['a', null]], at)).toBe(2);
  expect(inherited('role')([], at)).toBe('user');
  expect(inherited('nobody')([], at)).toBeNull();
  expect(withParts('unknown')(['sonnet'], at)).toBe('sonnet\0unknown');
});
