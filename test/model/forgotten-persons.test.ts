import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDoor } from '../../src/model/foreign-text.ts';
import { ForgottenPersons } from '../../src/model/forgotten-persons.ts';
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

it('forgets whoever stands beside a forgotten name in one object, wherever else they stand', () => {
  const persons = forgetting('ann@corp.example');
  const json = (rows: object[]) => Buffer.from(JSON.stringify(rows));
  const before = [
    { owner: 'u-77777' },
    { by_user: [{ user_id: 'u-77777', n: 1, user_email: 'ANN@corp.example' }] },
  ];
  const text = persons.inJson(json(before)).toString();
  expect(text).not.toContain('u-77777');
  expect(persons.isForgotten('u-77777')).toBe(true);
  // A later e-mail of that user is theirs, too; that of another user in the same list is not.
  const later = [
    { user_id: 'u-77777', user_email: 'new@corp.example' },
    { user_id: 'u-8', user_email: 'bob@corp.example' },
  ];
  expect(persons.inJson(json(later)).toString()).toContain('bob@corp.example');
  expect(persons.isForgotten('new@corp.example')).toBe(true);
  expect(persons.isForgotten('u-8')).toBe(false);
});

it('does not take what stands for no e-mail for one that others have', () => {
  const persons = forgetting('u-1');
  persons.noteBeside('u-1', 'unknown');
  persons.noteBeside('u-1', '');
  expect(persons.isForgotten('unknown')).toBe(false);
});

it('knows the digest that stands for an e-mail where e-mails are withheld', () => {
  const persons = forgetting('ann@corp.example');
  const withheld = withoutEmails(Buffer.from('{"id":"ann@corp.example"}')).toString();
  expect(persons.inJsonText(withheld)).not.toBe(withheld);
});

it('hides them in what is logged, before it is cut', () => {
  const persons = forgetting('user-4711');
  const door = persons.behind(createDoor(['secret-key']));
  expect(door('no user-4711 with secret-key')).toMatch(/^no forgotten-[\da-f]{20} with \[redacted\]$/);
  expect(door.hideSecrets('secret-key')).toBe('[redacted]');
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
