import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ForgottenPersons } from '../../src/model/forgotten-persons.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { withoutEmails } from '../../src/model/withheld-emails.ts';

function forgetting(...names: string[]): ForgottenPersons {
  const persons = new ForgottenPersons();
  persons.know(randomBytes(32), []);
  for (const name of names) persons.forget(name);
  return persons;
}

const pseudonym = /^forgotten-[\da-f]{20}$/;

it('leaves everything as it is while nobody is forgotten', () => {
  const bytes = Buffer.from('{"user_id":"u-1"}');
  expect(new ForgottenPersons().inJson(bytes)).toBe(bytes);
});

it('gives two persons two pseudonyms, and each always the same', () => {
  const persons = forgetting('user-1', 'user-2');
  const [one, two] = ['user-1', 'user-2'].map((name) => persons.inText(name));
  expect(one).toMatch(pseudonym);
  expect(two).toMatch(pseudonym);
  expect(one).not.toBe(two);
  expect(persons.inText('user-1')).toBe(one);
  expect(persons.inText('user-3')).toBe('user-3');
});

it('knows an e-mail in any case of letters, and a user id in its own only', () => {
  const persons = forgetting('Ann@Corp.example', 'UserOne');
  expect(persons.inText('aNN@corp.EXAMPLE')).toBe(persons.inText('ann@corp.example'));
  expect(persons.isForgotten('ann@corp.example')).toBe(true);
  expect(persons.isForgotten('userone')).toBe(false);
});

it('knows persons again by the key and the digests alone, under the same pseudonym', () => {
  const key = randomBytes(32);
  const first = new ForgottenPersons();
  first.know(key, []);
  first.forget('ann@corp.example');
  const again = new ForgottenPersons();
  again.know(key, first.takeLearned());
  expect(again.inText('ann@corp.example')).toBe(first.inText('ann@corp.example'));
  expect(first.takeLearned()).toEqual([]);
});

it.each([
  ['by ann@corp.example.', 'by X.'],
  ['<ann@corp.example>, mailto:ann@corp.example', '<X>, mailto:X'],
  ['https://a.example/?u=ann%40corp.example&x', 'https://a.example/?u=X&x'],
  ['/home/ann@corp.example/src', '/home/X/src'],
  ['user-4711 ran user-4711/x and user-47110', 'Y ran Y/x and user-47110'],
  ['joann@corp.example ann@corp.example.au', 'joann@corp.example ann@corp.example.au'],
  ['auth0|77 and (auth0|77)', 'Z and (Z)'],
  ['user:auth0|77, /users/auth0|77/keys', 'user:Z, /users/Z/keys'],
  ['https://a.example/?u=ann%2540corp.example&x, ann%252540corp.example', 'https://a.example/?u=X&x, X'],
  ['%22user-4711%22 and %2522user-4711%2522', '%22Y%22 and %2522Y%2522'],
  ['/u/auth0%7C77/x', '/u/Z/x'],
  [
    '\u001b[1muser-4711\u001b[0m, \u001b[31mann@corp.example\u001b[0m',
    '\u001b[1mY\u001b[0m, \u001b[31mX\u001b[0m',
  ],
  ['user-4711\0 auth0|77\0 ann@corp.example\0', 'Y\0 Z\0 X\0'],
  ['mcp__@user-4711__search', 'mcp__@Y__search'],
  [
    'user-4711%40other.example, %22joann@corp.example%22',
    'user-4711%40other.example, %22joann@corp.example%22',
  ],
  ["mail -s done o'brien@corp.example", 'mail -s done W'],
  ["to='O'Brien@corp.example', mailto:o'brien@corp.example", "to='W', mailto:W"],
  ["_ann@corp.example_, d'ann@corp.example", "_X_, d'X"],
])('finds them within a text: %s', (text, expected) => {
  const persons = forgetting('ann@corp.example', 'user-4711', 'auth0|77', "o'brien@corp.example");
  const [email, id, piped, irish] = ['ann@corp.example', 'user-4711', 'auth0|77', "o'brien@corp.example"].map(
    (name) => persons.inText(name),
  );
  const told = persons
    .inText(text)
    .replaceAll(email ?? '', 'X')
    .replaceAll(id ?? '', 'Y')
    .replaceAll(piped ?? '', 'Z')
    .replaceAll(irish ?? '', 'W');
  expect(told).toBe(expected);
});

it('replaces strings of JSON, names of fields too, however they are written, and nothing else', () => {
  const persons = forgetting('user-1');
  const name = persons.inText('user-1');
  const json = String.raw`{"user-1" : 12345678901234567890.10, "a":["user\u002d1", "user-1\"", {"user_id":"user-12"}]}, {"x":"user-1"}`;
  expect(persons.inJson(Buffer.from(json)).toString()).toBe(
    `{"${name}" : 12345678901234567890.10, "a":["${name}", ${JSON.stringify(`${name}"`)}, {"user_id":"user-12"}]}, {"x":"${name}"}`,
  );
});

const json = (rows: object[]) => Buffer.from(JSON.stringify(rows));

it('forgets whoever stands beside an e-mail that was asked for, wherever else they stand', () => {
  const persons = forgetting('ann@corp.example');
  const before = [
    { owner: 'u-77777' },
    { by_user: [{ user_id: 'u-77777', n: 1, user_email: ' ANN@corp.example' }] },
  ];
  const text = persons.inJson(json(before)).toString();
  expect(text).not.toContain('u-77777');
  expect(persons.isForgotten('u-77777')).toBe(true);
  expect(persons.takeForgottenByAddress()).toBe(1);
  expect(persons.takeForgottenByAddress()).toBe(0);
});

it('takes addresses of a forgotten user from what is about that user, and from nobody else', () => {
  const persons = forgetting('u-77777');
  const rows = [
    { user_email: 'team@corp.example', user_id: 'u-8', mail: 'team@corp.example' },
    {
      mail: { to: ['team@corp.example', 'other@corp.example'] },
      user_email: 'Team@corp.example',
      user_id: 'u-77777',
      reports: [{ user_id: 'u-8', user_email: 'team@corp.example' }],
    },
    { mail: 'team@corp.example' },
  ];
  const [others, own, nobodys] = JSON.parse(persons.inJson(json(rows)).toString());
  expect(others).toEqual(rows[0]);
  expect(own).toMatchObject({
    user_email: null,
    reports: [{ user_id: 'u-8', user_email: 'team@corp.example' }],
  });
  expect(own.user_id).toMatch(pseudonym);
  expect(own.mail.to).toEqual([expect.stringMatching(pseudonym), 'other@corp.example']);
  expect(nobodys).toEqual(rows[2]);
  expect(persons.isForgotten('u-8')).toBe(false);
  expect(persons.isForgotten('team@corp.example')).toBe(false);
});

it('withholds an address that only forgotten users had, and forgets nobody who comes with it', () => {
  const persons = forgetting('u-77777');
  persons.withhold('ann@corp.example', 'sole');
  const rows = [
    { user_id: 'u-8', user_email: 'ANN@corp.example', to: 'mail ann@corp.example' },
    { user_id: 'u-77777', user_email: 'ann@corp.example' },
  ];
  const [other, own] = JSON.parse(persons.inJson(json(rows)).toString());
  expect(other).toEqual({ user_id: 'u-8', user_email: null, to: expect.not.stringContaining('ann@') });
  expect(own).toEqual({
    user_id: expect.stringMatching(pseudonym),
    user_email: expect.stringMatching(pseudonym),
  });
  expect(persons.takeForgottenByAddress()).toBe(0);
});

it('tells an address that a forgotten user comes with from one that others have, once somebody has looked', () => {
  const persons = forgetting('u-77777');
  persons.noteBeside('u-77777', 'sole@corp.example');
  persons.noteBeside('u-77777', 'shared@corp.example');
  expect(persons.hasNewAddresses).toBe(true);
  persons.noteUseOfNew('u-8', 'SHARED@corp.example');
  persons.noteUseOfNew('u-8', 'another@corp.example');
  persons.withholdNewAddresses();
  expect(persons.hasNewAddresses).toBe(false);
  expect(persons.inText('sole@corp.example')).toMatch(pseudonym);
  expect(persons.inText('shared@corp.example another@corp.example')).toBe(
    'shared@corp.example another@corp.example',
  );
});

it('takes an address for shared that a forgotten user comes with in the same answer as somebody else', () => {
  const persons = forgetting('u-77777');
  const rows = [
    { user_id: 'u-8', user_email: 'team@corp.example' },
    { user_id: 'u-77777', user_email: 'TEAM@corp.example' },
  ];
  expect(JSON.parse(persons.inJson(json(rows)).toString())[0]).toEqual(rows[0]);
  expect(persons.hasNewAddresses).toBe(false);
  persons.withholdNewAddresses();
  expect(JSON.parse(persons.inJson(json(rows)).toString())[0]).toEqual(rows[0]);
});

it('gives users whose ids are one e-mail in two spellings two pseudonyms', () => {
  const persons = forgetting('ann@corp.example');
  const names = ['ann@corp.example', 'Ann@corp.example', 'ANN@corp.example'].map((id) =>
    persons.inUserId(id),
  );
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(pseudonym);
});

it.each([
  ['mcp__ann@corp.example__search', /^mcp__forgotten-[\da-f]{20}__search$/],
  ['/mail-ann@corp.example', /^\/mail-forgotten-[\da-f]{20}$/],
  ['run /mail.ann%40corp.example now', /^run \/mail\.forgotten-[\da-f]{20} now$/],
  ['mcp__user_4711__search', /^mcp__forgotten-[\da-f]{20}__search$/],
  ['see mcp__user_4711__search', /^see mcp__forgotten-[\da-f]{20}__search$/],
])('finds a person in what is put together: %s', (text, expected) => {
  expect(forgetting('ann@corp.example', 'user_4711').inText(text)).toMatch(expected);
});

it.each(['mary-ann@corp.example', 'mail mary-ann@corp.example', 'mcp__user_47110__search', 'mcp__x'])(
  'leaves those whose names merely end or begin alike: %s',
  (text) => {
    expect(forgetting('ann@corp.example', 'user_4711').inText(text)).toBe(text);
  },
);

it('does not take what stands for no e-mail for one that others have', () => {
  const persons = forgetting('u-1');
  persons.noteBeside('u-1', 'unknown');
  persons.noteBeside('u-1', '');
  expect(persons.isForgotten('unknown')).toBe(false);
});

it('knows the digest that stands for an e-mail where e-mails are withheld', () => {
  const persons = forgetting('ann@corp.example');
  const withheld = withoutEmails(Buffer.from('{"id":"ann@corp.example"}'), persons.nameOfAddress).toString();
  expect(persons.inJsonText(withheld)).not.toBe(withheld);
});

it('hides them in what is logged, before it is cut', () => {
  const persons = forgetting('user-4711');
  const sanitize = persons.behind(createSanitizer(['secret-key']));
  expect(sanitize('no user-4711 with secret-key')).toMatch(/^no forgotten-[\da-f]{20} with \[redacted\]$/);
  expect(sanitize.hideSecrets('secret-key')).toBe('[redacted]');
});

it('leaves JSON what it was where it names nobody who is forgotten', () => {
  const persons = forgetting('somebody-else', 'x@y.example');
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(persons.inJsonText(json)).toBe(json);
    }),
    { numRuns: 1_000 },
  );
});

it('takes texts of any length in time that grows with them', () => {
  const persons = forgetting('ann@corp.example');
  const long = `${'a'.repeat(2_000_000)} ${'.@'.repeat(500_000)} ann@corp.example`;
  expect(persons.inText(long)).not.toContain('ann@corp.example');
});
