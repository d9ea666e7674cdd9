import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyedDigest } from '../../src/model/keyed-digest.ts';

it('is HMAC-SHA-256', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.string({ unit: 'binary' }),
      (key, text) => {
        const expected = createHmac('sha256', key).update(text).digest();
        expect(keyedDigest(Buffer.from(key))(text)).toEqual(expected);
      },
    ),
  );
});

it('refuses a key that it would have to shorten', () => {
  expect(() => keyedDigest(Buffer.alloc(65))).toThrow('at most 64 bytes');
});
