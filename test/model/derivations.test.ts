import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  codePoints,
  codePointsOfAll,
  inherited,
  listLength,
  position,
  textIfKept,
  textsIfKept,
  withParts,
} from '../../src/model/derivations.ts';

const at = { index: 3, above: { role: 'user' } };

it('code points are counted as Unicode does, halves of pairs included', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '😀', '\ud83d', '\ude00', 'é', '\0') }), (text) => {
      expect(codePoints([text], at)).toBe([...text].length);
      expect(codePointsOfAll('text')([[{ text }, { text: {} }, null, { text }]], at)).toBe(
        2 * [...text].length,
      );
    }),
  );
});

it('a text that was withheld has its length, and is no text', () => {
  expect(codePoints([7], at)).toBe(7);
  expect(codePointsOfAll('text')([[{ text: 7 }, { text: 'abc' }]], at)).toBe(10);
  expect(textsIfKept('text')([[{ text: 7 }, { text: 'abc' }, {}, { text: 'd\0' }]], at)).toBe('abc\nd\uFFFD');
  expect(textsIfKept('text')([[{ text: 7 }]], at)).toBeNull();
  expect([textIfKept([7], at), textIfKept(['a'], at)]).toEqual([null, 'a']);
});

it('what has no value gives none, and nothing throws', () => {
  for (const nothing of [null, undefined, true, {}])
    for (const derive of [
      codePoints,
      codePointsOfAll('text'),
      textsIfKept('text'),
      textIfKept,
      listLength,
      withParts('x'),
    ])
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
