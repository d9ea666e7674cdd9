import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, secretsOf } from '../../src/model/redaction.ts';

const redact = createRedactor([]);

describe('a secret', () => {
  it('never survives, wherever it stands and however it is written', () => {
    const secret = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 });
    const around = fc.string({ unit: 'grapheme', maxLength: 30 });
    const written = fc.constantFrom(
      (text: string) => text,
      encodeURIComponent,
      (text: string) => JSON.stringify(text),
      (text: string) => `${text}${text}`,
      (text: string) => `postgres://u:${text}@h/d`,
    );
    fc.assert(
      fc.property(secret, around, around, written, (hidden, before, after, write) => {
        fc.pre(!'[redacted]'.includes(hidden) && !`${before}${after}`.includes(hidden));
        const text = createRedactor([hidden])(`${before}${write(hidden)}${after}`);
        expect(text).not.toContain(hidden);
        expect(text).not.toContain(encodeURIComponent(hidden));
      }),
      { numRuns: 1000 },
    );
  });

  it('that is part of another goes with it', () => {
    expect(createRedactor(['abc', 'abcdef'])('x abcdef y abc')).toBe('x [redacted] y [redacted]');
  });
});

describe('without knowing the secret', () => {
  it.each([
    ['postgres://user:pass@host:5432/db', 'postgres://user:[redacted]@host:5432/db'],
    ['postgres://:pass@host', 'postgres://:[redacted]@host'],
    ['https://a:b@h and https://c:d@h', 'https://a:[redacted]@h and https://c:[redacted]@h'],
    ['https://host/path?x=1', 'https://host/path?x=1'],
    ['Authorization: Bearer sk-123.abc', 'Authorization: Bearer [redacted]'],
    ['{"authorization":"bearer  sk-123"}', '{"authorization":"bearer  [redacted]"}'],
    ['user ada.lovelace+x@mail.example.com failed', 'user [redacted] failed'],
    ['"é@exämple.de", <b@c.io>', '"[redacted]", <[redacted]>'],
    ['{"email":"a@b.com"}', '{"email":"[redacted]"}'],
    ['no @ here, nor a@b', 'no @ here, nor a@b'],
  ])('%s is shown as %s', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  it('a long word is looked through once, not once from each of its characters', () => {
    const startedAt = performance.now();
    for (const unit of ['a', 'a.', 'a:', '//a', 'a@', 'bearer ']) redact(unit.repeat(300_000));
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});

describe('the secrets of a configuration', () => {
  const platform = { apiKey: 'sk-key' };

  it('are the key and the password, encoded and decoded', () => {
    const databaseUrl = 'postgres://u:p%40ss@h/d?password=other%20one';
    expect(secretsOf({ platform, databaseUrl })).toEqual(
      expect.arrayContaining(['sk-key', 'p%40ss', 'p@ss', 'other one']),
    );
  });

  it.each(['postgres://u:100%@h/d', 'postgres://u:%zz@h/d', 'postgres://h/d?password=100%25'])(
    'are found in %s, whose percent sign encodes nothing',
    (databaseUrl) => {
      const shown = createRedactor(secretsOf({ platform, databaseUrl }))(
        `connecting with 100% %zz to ${databaseUrl}`,
      );
      expect(shown).not.toMatch(databaseUrl.includes('zz') ? /%zz/ : /100%/);
    },
  );

  it('are none where nothing is set', () => {
    expect(secretsOf({ platform: undefined, databaseUrl: undefined })).toEqual([]);
    expect(secretsOf({ platform: undefined, databaseUrl: 'postgres://h/d' })).toEqual([]);
  });
});
