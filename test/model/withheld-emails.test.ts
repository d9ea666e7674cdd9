import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutEmails } from '../../src/model/withheld-emails.ts';

const withheld = (text: string) => withoutEmails(Buffer.from(text)).toString();

it('makes user_email null and a digest of any other address, equal ones alike', () => {
  const told = JSON.parse(
    withheld('{"user_email":"a@b.example","x":["c@d.example","c@d.example","e@d.example"]}'),
  );
  expect(told.user_email).toBeNull();
  expect(told.x[0]).toMatch(/^e-mail-[\da-f]{16}$/);
  expect(told.x[1]).toBe(told.x[0]);
  expect(told.x[2]).not.toBe(told.x[0]);
});

it('finds addresses that are written with escapes', () => {
  expect(withheld(String.raw`{"x":"a\u0040b.example","y":"\u0061\u0040b.example"}`)).not.toMatch(/\\u00|@/);
});

it('keeps JSON what it is, however an address is written and whatever stands before it', () => {
  const address = fc.constantFrom(
    'bob@example.com',
    'jürg@example.com',
    '😀x@planted.example',
    'a@bücher.de',
  );
  const around = fc.string({
    unit: fc.constantFrom('\n', '\t', '/', '\\', '"', ' ', 'x', '\u0001', '😀', '@'),
  });
  fc.assert(
    fc.property(around, address, around, fc.boolean(), (before, email, after, escapes) => {
      const json = JSON.stringify({ x: `${before} ${email} ${after}` });
      const everyUnit = (found: string) =>
        found
          .split('')
          .map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join('');
      const written = escapes ? json.replace(email, everyUnit) : json;
      const told: unknown = JSON.parse(withheld(written));
      expect(JSON.stringify(told)).not.toContain(email);
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  [String.raw`{"x":"git config\nbob@example.com"}`, /^git config\ne-mail-[\da-f]{16}$/],
  [String.raw`{"x":"j\u00fcrg@example.com"}`, /^e-mail-[\da-f]{16}$/],
  [String.raw`{"x":"bob@b\u00fccher.de"}`, /^e-mail-[\da-f]{16}$/],
  [String.raw`{"x":"\ud83d\ude00bob@example.com"}`, /e-mail-[\da-f]{16}$/],
  [String.raw`{"x":"a\\\\nbob@example.com"}`, /e-mail-[\da-f]{16}$/],
  ['{"x":"npx prettier@3.2.1"}', /^npx prettier@3\.2\.1$/],
])('finds the address in %s, and nothing else', (json, expected) => {
  expect(JSON.parse(withheld(json)).x).toMatch(expected);
});

it.each([
  'git@git.example.com:acme/web.git',
  'git@git.example.com:web.git',
  'first.last@git.example.com:/srv/acme/web',
  'ssh://git@git.example.com/acme/web',
  'git+ssh://git@git.example.com:22/acme/web.git',
  'https://git.example.com/acme/web',
])('leaves the address of a repository: %s', (address) => {
  for (const written of [JSON.stringify(address), JSON.stringify(address).replaceAll('/', '\\/')]) {
    const json = `{"a":"x","repoUrl":${written},${written}:["b",${written}]}`;
    expect(withheld(json)).toBe(json);
  }
});

it.each([
  ['https://jane@git.example.com/acme/web', 'https://git.example.com/acme/web'],
  ['https://jane:token@git.example.com:8443/acme/web.git', 'https://git.example.com:8443/acme/web.git'],
  ['http://jane@internal/acme/web', 'http://internal/acme/web'],
  ['git+https://jane@git.example.com/acme/web', 'git+https://git.example.com/acme/web'],
  ['https://jane@example.com@git.example.com/acme/web', 'https://git.example.com/acme/web'],
  ['https://jane%40example.com@git.example.com/acme/web', 'https://git.example.com/acme/web'],
  ['https://jane@git.example.com', 'https://git.example.com'],
])('takes the person out of the address of a repository: %s', (address, expected) => {
  for (const written of [JSON.stringify(address), JSON.stringify(address).replaceAll('/', '\\/')]) {
    const told = JSON.parse(withheld(`{"a":"x","repoUrl":${written},"list":["b",${written}]}`));
    expect(told).toEqual({ a: 'x', repoUrl: expected, list: ['b', expected] });
  }
});

it('does not look through a long address once per character', () => {
  const json = JSON.stringify({ x: `https://${'jane:'.repeat(2_000_000)}@git.example.com/acme/web` });
  expect(withheld(json)).not.toBe('');
});

it.each([
  'bob@example.com',
  'bob@example.com:',
  'bob@example.com:secret',
  'bob@example.com: see a/b',
  'write to bob@example.com:a/b',
  'mailto:bob@example.com',
  'https://git.example.com/bob@example.com/x',
  'https://git.example.com/?user=bob@example.com',
  'https://bob%40example.com@git.example.com/acme/web',
  'git@git.example.com:acme/bob@example.com',
  'ssh://git@git.example.com/acme/web bob@example.com',
])('finds the address beside what looks like a repository: %s', (text) => {
  expect(withheld(JSON.stringify({ x: text }))).not.toMatch(/bob(@|%40)example/);
});

it('takes an address of any length', () => {
  const json = JSON.stringify({ user_email: `${'a'.repeat(20_000_000)}@example.com` });
  expect(JSON.parse(withheld(json))).toEqual({ user_email: null });
});

it('leaves cursors as they are: the platform wants them back', () => {
  const text = '{"data":[],"meta":{"next_cursor": "last@user.example"}}';
  expect(withheld(text)).toBe(text);
});

it('leaves JSON without addresses what it was, whatever is escaped in it', () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, escapes) => {
      fc.pre(!text.includes('@'));
      const written = escapes
        ? text.replace(/[a-z](?=[a-z]*")/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)
        : text;
      let whole: unknown;
      try {
        whole = JSON.parse(written);
      } catch {
        fc.pre(false);
      }
      expect(JSON.parse(withheld(written))).toEqual(whole);
    }),
    { numRuns: 500 },
  );
});

it('leaves what is no text as it is', () => {
  const damaged = Buffer.from([0x7b, 0xff, 0x40, 0x7d]);
  expect(withoutEmails(damaged)).toBe(damaged);
});
