/** The addresses in the settings: of the database, of a proxy, and of what gets messages. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/model/config.ts';
import { complete, problemsOf } from '../support/parsed-config.ts';

describe('the address of the database', () => {
  const file = '/run/url';
  const inFile = (text: string) =>
    parseConfig({ DATABASE_URL_FILE: file }, { needsPlatform: false, readSecretFile: () => text });

  it('is read from a file, without the white space around it', () => {
    expect(inFile('\n postgres://u:p@h/d \n').databaseUrl).toBe('postgres://u:p@h/d');
  });

  it('is named by the variable of the file where it is wrong', () => {
    for (const text of ['', 'mysql://h/d', 'postgres://h/d?ssl=0'])
      expect(() => inFile(text)).toThrow(/^DATABASE_URL_FILE: expected /);
  });

  it('is not guessed when two are given', () => {
    expect(problemsOf({ ...complete, DATABASE_URL: 'postgres://h/d', DATABASE_URL_FILE: file })).toEqual([
      'DATABASE_URL, DATABASE_URL_FILE: both are set; set one of them',
    ]);
  });
});

describe('a password that is not encoded', () => {
  const password = (written: string) => `postgres://ann:${written}@db.example.com/usage`;
  const ambiguous = [
    ...[
      'k1@w2',
      '1/w2',
      '1?w2',
      '1#w2',
      'k1%w2',
      'k1%zzw2',
      'k1%',
      'k1%ff',
      'k1\\w2',
      'k1\tw2',
      '/@w2',
      '@',
    ].map(password),
    'postgres://k1/w2@db.example.com/usage',
    'postgres://ann:k1@db.example.com/usage?application_name=w2@night',
    'postgres://db.example.com/usage?user=ann&password=k1#w2',
    'postgres://db.example.com/usage?password=k1@w2',
  ];

  it.each(ambiguous)('is refused and not shown, in a variable or a file: %j', (text) => {
    const inFile = () =>
      parseConfig({ DATABASE_URL_FILE: '/run/url' }, { needsPlatform: false, readSecretFile: () => text });
    const problems = problemsOf({ DATABASE_URL: text }, false);
    expect(problems).toEqual([expect.stringMatching(/^DATABASE_URL: .*percent-encode/)]);
    expect(problems.join()).not.toMatch(/k1|w2|ann|example/);
    expect(inFile).toThrow(/^DATABASE_URL_FILE: .*percent-encode/);
  });

  it.each(['postgres:/ann:k1@db.example.com', 'postgres:ann:k1@db.example.com/usage'])(
    'is not taken for the name of a database: %s',
    (text) => {
      const problems = problemsOf({ DATABASE_URL: text }, false);
      expect(problems).toEqual([expect.stringMatching(/^DATABASE_URL: expected an? (URL|address)/)]);
      expect(problems.join()).not.toMatch(/k1|ann|db\.example/);
    },
  );

  it.each([
    ...['k1%40w2', 'k1%2Fw2', 'k1%23w2', 'k1%3fw2', 'k1%25w2', 'k1:w2', 'k1%3Aw2', 'schl\u00fcssel'].map(
      password,
    ),
    'postgres://ann@%2Fvar%2Frun%2Fpostgresql/usage',
    'postgresql:///usage?host=/var/run/postgresql',
    'postgres://ann:pw@[::1]:5432/usage?sslmode=verify-full&options=-c%20statement_timeout%3D0',
  ])('is not seen where there is none: %s', (text) => {
    expect(problemsOf({ DATABASE_URL: text }, false)).toEqual([]);
  });

  it('is refused in the address of a proxy, too', () => {
    for (const proxy of ['http://ann:1/w2@proxy.example.com', 'http://ann:1#w2@proxy.example.com'])
      expect(problemsOf({ ...complete, HTTPS_PROXY: proxy })).toEqual([
        expect.stringMatching(/^HTTPS_PROXY: .*percent-encode/),
      ]);
  });
});

describe('an address that messages go to', () => {
  const variables = ['NOTIFY_WEBHOOK_URL', 'HEARTBEAT_URL'];

  it.each(variables)('is not asked in clear text across a network: %s', (variable) => {
    for (const address of [
      'http://chat.example.com/hooks/k1',
      'http://10.0.0.1/k1',
      'http://localhost.example.com/k1',
      'http://127.0.0.1.example.com/k1',
      'HTTP://example.com/k1',
      'ftp://127.0.0.1/k1',
      'https://ann:k1@example.com/',
    ]) {
      const problems = problemsOf({ [variable]: address }, false);
      expect(problems, address).toEqual([expect.stringMatching(`^${variable}: .*loopback only`)]);
      expect(problems.join()).not.toContain('k1');
    }
    const readSecretFile = () => 'http://chat.example.com/hooks/k1';
    const environment = { [`${variable}_FILE`]: '/run/address' };
    expect(() => parseConfig(environment, { needsPlatform: false, readSecretFile })).toThrow(
      new RegExp(`^${variable}_FILE: .*loopback only`),
    );
  });

  it.each(variables)('may be https anywhere, and http on this machine: %s', (variable) => {
    for (const address of ['https://chat.example.com/k1', 'http://127.0.0.1:9/k1', 'http://[::1]/k1'])
      expect(problemsOf({ [variable]: address }, false)).toEqual([]);
  });
});
