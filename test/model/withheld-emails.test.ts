import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nameUnder, withoutEmails, withoutEmailsIn } from '../../src/model/withheld-emails.ts';

const key = Buffer.alloc(32, 7);
const nameOf = nameUnder(key);
const withheld = (text: string) => withoutEmails(Buffer.from(text), nameOf).toString();

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

it.each([
  'ann%40corp.example',
  'ann%2540corp.example',
  'x%40ann%40corp.example',
  'https://a.example/?to=ann%40corp.example&x=1',
  'ann@localhost',
  'ann@localhost:8080',
  'ann@[10.0.0.1]',
  'ann@[IPv6:2001:db8::1]'.replace('IPv6:', ''),
  '"ann person"@corp.example',
  'to "ann person"@localhost',
  'mcp__ann@corp.example__search',
  'ann@[IPv6:2001:db8::1]',
  'ann%40%5BIPv6%3A2001%3Adb8%3A%3A1%5D',
  'ann@[ipv6:::ffff:10.0.0.1]',
  'ann@relay@corp.example',
  'ann%40relay@corp.example',
  `${'ann'.repeat(200)}@corp.example`,
  `"ann ${'x'.repeat(500)} person"@corp.example`,
  '"ann@home"@corp.example',
  String.raw`"ann \"a\" person"@corp.example`,
  String.raw`ann\@home@corp.example`,
  String.raw`ann\ person@corp.example`,
  'ann@corp。example',
  'ann@corp．example',
  'ann@corp｡example',
  'ann@corp%2Eexample',
  'ann%40corp%252eexample',
  'ann@corp%E3%80%82example',
  'ann@corp&#46;example',
  'ann@m%C3%BCller.example',
  'ann&#64;corp.example',
  'ann&#064;corp.example',
  'ann&#x40;corp.example',
  'ann&amp;#64;corp&period;example',
  'ann&commat;corp.example',
  'ann&commatcorp.example',
  String.raw`ann\x40corp.example`,
  String.raw`ann\u0040corp.example`,
  String.raw`ann\\\\u0040corp.example`,
  String.raw`{\"to\":\"ann\u0040corp.example\"}`,
  JSON.stringify(JSON.stringify({ to: '"ann person"@corp.example' })),
  'ann＠corp.example',
  'ann@corp﹒example',
  'ann@corp․example',
  'ann%uFF20corp.example',
  'ann﹫corp.example',
  'ann%EF%BC%A0corp.example',
  'ann=40corp.example',
  'ann=40corp=2Eexample',
  '=?utf-8?Q?ann=40corp.example?=',
  '=?utf-8?Q?to_ann=40corp.example?=',
  `=?UTF-8?B?${Buffer.from('ann@corp.example').toString('base64')}?=`,
  'ann @corp.example',
  'ann@ corp.example',
  'ann @ corp.example',
  'ann\u0000@corp.example',
  'ann\u0001@corp.example',
  'ann\u001b@corp.example',
  'ann\u007f@corp.example',
  'ann\t@corp.example',
  'ann\n@corp.example',
  'ann\u200b@corp.example',
])('finds an address however it is written: %s', (text) => {
  const told: { x: string } = JSON.parse(withheld(JSON.stringify({ x: text })));
  expect(told.x).toMatch(/e-mail-[\da-f]{16}/);
  expect(told.x).not.toMatch(/ann(?:@|%(?:25)?40| person)/);
});

it.each([
  'tool@1.2.3',
  'model@20250514',
  'plugin@marketplace',
  '@scope/server',
  '100%402',
  'git log --pretty=format:%H',
  'ssh host',
  'npm i @scope/pkg@1.2.3',
  'npm i @scope/pkg.js',
  'docker run image@sha256:0123456789abcdef',
  '$1,299.50 @ 3.5%',
  'claude-opus-4@20260101',
  'curl -d @body.json https://a.example/x?size=4096.5&y=40',
  "x = 1\n\n@app.route('/x')\ndef f():",
  'a &amp; b &#169; \\\\ =?x?=',
  'find . -name "*.ts" -newer a.b',
])('takes no other name for an address: %s', (text) => {
  expect(withheld(JSON.stringify({ x: text }))).toBe(JSON.stringify({ x: text }));
});

it('takes any address for one where it is the id of a user', () => {
  expect(JSON.parse(withheld('{"user_id":"ann@corp","x":"ann@corp"}'))).toEqual({
    user_id: nameOf('ann@corp'),
    x: 'ann@corp',
  });
  expect(withoutEmailsIn('ann@corp', nameOf, 'user_id')).toBe(nameOf('ann@corp'));
});

it.each([
  'ann@relay@corp',
  'ann＠corp',
  'ann&#64;corp',
  'ann\\u0040corp',
  'ann=40corp',
  'ann @corp',
  `${'a'.repeat(400)}@corp`,
])('takes it so however it is written: %s', (id) => {
  expect(JSON.parse(withheld(JSON.stringify({ user_id: id, team: 'a' })))).toEqual({
    user_id: nameOf(id),
    team: 'a',
  });
});

it('finds addresses in what is no JSON', () => {
  expect(withheld('<p>ann@corp.example</p>, "ann&#64;corp.example')).not.toMatch(/ann/);
});

it('calls an address the same however its @ is written, and otherwise under another key', () => {
  for (const written of [
    'ann%40corp.example',
    'ann＠corp。example',
    'ann &#64; corp%2Eexample',
    'ann\u0001@corp.example',
  ])
    expect(nameOf(written)).toBe(nameOf('ann@corp.example'));
  expect(nameUnder(Buffer.alloc(32, 8))('ann@corp.example')).not.toBe(nameOf('ann@corp.example'));
});

it.each([
  'a',
  '@',
  'a@',
  'a@a',
  'a@a.',
  'a@1.',
  '%40',
  'a%40',
  'a%40a.',
  '%',
  '%25',
  '\\"',
  '\\"a',
  'a@localhost',
  'a@[',
  'a@[1',
  '"user_id":"',
  'https://',
  'git@a:',
  '__',
  '\\',
  '\\,',
  'a\\,',
  '\\"a',
  '&amp;',
  '&',
  'a&#64;',
  '=40a',
  '=?a?Q?',
  'a @',
  'a @a.',
  'a@a@',
  '"user_id":"a@',
  ' ',
])('costs no more than the length of a text: %j', (unit) => {
  const text = JSON.stringify({ x: unit.repeat(Math.ceil(1_000_000 / unit.length)) });
  // A pattern that looks again from each character would take hours: the time limit of a test is enough.
  expect(withheld(text)).not.toBe('');
});

it('takes an address of any length', () => {
  const json = JSON.stringify({ user_email: `${'a'.repeat(20_000_000)}@example.com` });
  expect(JSON.parse(withheld(json))).toEqual({ user_email: null });
});

it('leaves cursors as they are: the platform wants them back', () => {
  const text = '{"data":[],"meta":{"next_cursor": "last@user.example"}}';
  expect(withheld(text)).toBe(text);
});

it.each([
  '{"data":[{"next_cursor":"last@user.example"}]}',
  '{"a":"]","data":[[],{"x":"[","next_cursor":"last@user.example"}]}',
])('takes the address out of what is called a cursor in a record: %s', (text) => {
  expect(withheld(text)).not.toContain('last@user.example');
});

it('knows its fields however their names are written', () => {
  const escaped = String.raw`{"data":[{"user\u005femail":"ann@corp","user\u005fid":"ann@corp"}]}`;
  expect(JSON.parse(withheld(escaped))).toEqual({
    data: [{ user_email: null, user_id: expect.stringMatching(/^e-mail-/) }],
  });
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
  expect(withoutEmails(damaged, nameOf)).toBe(damaged);
});
