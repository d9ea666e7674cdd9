import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../../src/model/errors.ts';
import { readKey } from '../../../src/model/organizations/organization-key.ts';
import { readOrganizationsFile } from '../../../src/model/organizations/organizations-file.ts';
import { sources } from '../../../src/sources/registry.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-organizations-'));
});

afterAll(() => rm(folder, { recursive: true }));

let files = 0;

/** The entries of a file with this text, and its problems without the name of the variable. */
async function read(text: string | Buffer, given: Record<string, string> = {}, ofFile: string[] = []) {
  files += 1;
  const file = join(folder, `${files}.yaml`);
  await writeFile(file, text);
  const problems: string[] = [];
  const rules = { file, given, sources, needsPlatform: true, ofFile: new Set(ofFile) };
  const entries = readOrganizationsFile(rules, problems);
  return { entries, problems: problems.map((problem) => problem.replace(/^ORGANIZATIONS_FILE: /, '')) };
}

const acme = `- name: acme
  api_base_url: https://api.example.com
  api_key_file: keys/acme.key
`;

describe('a right file', () => {
  test('gives an entry for each organization, with its own settings, and the variables for the rest', async () => {
    const text = `\ufeff${acme}  app_base_url: https://app.example.com
  org_id: org_01ABC
  requests_per_second: 5
  max_concurrency: 2
  lookback_days: 1
  window_days: 30
  page_size: 50
  request_timeout_ms: 1000
  max_retries: 0
  sources: [computers, readiness]
  readiness_path: /other
  session_spool_dir: spool/acme
- {name: 0-b_c.d, api_base_url: 'http://127.0.0.1:8080', api_key_env: B_KEY, sources: computers}
`;
    const { entries, problems } = await read(text, { LOOKBACK_DAYS: '5', REQUESTS_PER_SECOND: '9' });
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      {
        name: 'acme',
        orgId: 'org_01ABC',
        baseUrl: new URL('https://api.example.com'),
        key: { file: join(folder, 'keys/acme.key') },
        settings: {
          appUrl: new URL('https://app.example.com'),
          paths: { READINESS_PATH: '/other' },
          requiredSources: ['computers', 'readiness'],
          lookbackDays: 1,
          windowDays: 30,
          pageSize: 50,
          requestsPerSecond: 5,
          maxConcurrency: 2,
          requestTimeoutMs: 1000,
          maxRetries: 0,
          sessionSpoolDirectory: join(folder, 'spool/acme'),
        },
      },
      {
        name: '0-b_c.d',
        orgId: undefined,
        baseUrl: new URL('http://127.0.0.1:8080'),
        key: { variable: 'B_KEY' },
        settings: expect.objectContaining({
          appUrl: undefined,
          requiredSources: ['computers'],
          lookbackDays: 5,
          requestsPerSecond: 9,
          pageSize: 100,
          sessionSpoolDirectory: undefined,
        }),
      },
    ]);
  });

  test('may have names and ids that YAML takes for numbers and words, and an alias in each entry', async () => {
    const entry = (name: string, url: string) =>
      `- name: ${name}\n  api_base_url: ${url}\n  api_key_env: KEY\n  org_id: 007\n`;
    const url = '&platform https://api.example.com';
    const names = ['1e3', 'true', ...Array.from({ length: 300 }, (_, index) => `n${index}`)];
    const text = names.map((name, index) => entry(name, index === 0 ? url : '*platform')).join('');
    const { entries, problems } = await read(text);
    expect(problems).toEqual([]);
    expect(entries.map(({ name }) => name)).toEqual(names);
    expect(new Set(entries.map(({ orgId }) => orgId))).toEqual(new Set(['007']));
  });
});

const laughs = `- &a [x, x, x, x, x, x, x, x, x, x]
${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  .map((name, index) => `- &${name} [${Array(10).fill(`*${'abcdefgh'[index]}`).join(', ')}]\n`)
  .join('')}`;

describe('a wrong file', () => {
  test.each<[string, string | Buffer, (string | RegExp)[]]>([
    ['is empty', '', ['expected a list of 1 to 10000 organizations, got nothing']],
    ['has an empty list', '[]', ['expected a list of 1 to 10000 organizations, got an empty list']],
    ['is a text', 'acme', ['expected a list of 1 to 10000 organizations, got a text']],
    ['has no list', acme.replace('- ', '  '), [/^expected a list of 1 to 10000 organizations, got fields/]],
    [
      'has 10,001 entries',
      '- a\n'.repeat(10_001),
      ['expected a list of 1 to 10000 organizations, got 10001'],
    ],
    ['is no YAML', `${acme}  "sk-hidden`, ['line 4: is no YAML']],
    ['has a tab', `${acme}\tpage_size: 5\n`, [/^line 4: is no YAML/]],
    ['has two documents', `${acme}---\n${acme}`, ['line 4: expected one list, got a second document']],
    ['is no UTF-8', Buffer.from([0xff, 0xfe, 0x2d]), ['is no UTF-8 text']],
    [
      'is too deep',
      '['.repeat(20_000),
      [/^(?:line 1: is no YAML|is no YAML list of organizations: too deep)/],
    ],
    ['has aliases without end', laughs, ['its aliases repeat values too often; write the values out']],
    [
      'has an alias of nothing',
      `${acme}  org_id: *sk-hidden\n`,
      ['an alias has no anchor before it; write the value out'],
    ],
    ['has a text for an entry', `${acme}- sk-hidden\n`, [/^entry 2: expected fields such as "name: acme"/]],
  ])('%s', async (_, text, sentences) => {
    const { problems } = await read(text);
    expect(problems).toEqual(
      sentences.map((each) => (typeof each === 'string' ? each : expect.stringMatching(each))),
    );
    expect(problems.join()).not.toContain('hidden');
  });

  test.each([
    ['page_size: 0', 'page_size: expected a whole number from 1 to 100, got "0"'],
    ['page_size: [1]', 'page_size: expected a text, got a list'],
    ['page_size:', 'page_size: expected a text, got nothing'],
    ['page_size: {a: b}', 'page_size: expected a text, got fields'],
    ['max_concurrency: 65', 'max_concurrency: expected a whole number from 1 to 64, got "65"'],
    ['lookback_days: -1', 'lookback_days: expected a whole number from 0 to 366, got "-1"'],
    ['window_days: 1.5', 'window_days: expected a whole number from 1 to 366, got "1.5"'],
    ['request_timeout_ms: soon', 'request_timeout_ms: expected a whole number from 1 to 3600000, got "soon"'],
    ['max_retries: 101', 'max_retries: expected a whole number from 0 to 100, got "101"'],
    ['requests_per_second: 0', 'requests_per_second: expected a number from 0.01 to 10000, got "0"'],
    ['readiness_path: //host/x', 'readiness_path: expected a path that begins with one slash, without query'],
    ['app_base_url: http://app.example.com', 'app_base_url: expected https, or http on loopback only'],
    ['sources: [computer]', /^sources: expected some of .*computers.*, got "computer"$/],
    [
      'sources: readiness',
      'app_base_url: missing; set it, because readiness is required and read from there',
    ],
    ['org_id: "a\\nb"', /^org_id: expected the id that the platform answers with/],
    ['api_key: hidden', /^api_key: the file holds no key; put the key into a file of its own/],
    ['api_key_env: KEY', 'api_key_file, api_key_env: both are set; set one of them'],
    ['retries: 5', /^"retries": unknown field; the fields are name, api_base_url, /],
    ['<<: {page_size: 5}', /^"<<": unknown field/],
    ['__proto__: 5', /^"__proto__": unknown field/],
    ['org_id: a\n  org_id: b', 'org_id: stands twice; remove one of the two'],
  ])('with the field %s', async (field, sentence) => {
    const { problems } = await read(`- name: first
  api_base_url: https://api.example.com
  api_key_env: FIRST
${acme}  ${field}\n`);
    const problem = problems[0]?.replace(/^entry 2(?: \(acme\))?: /, '');
    expect(problem).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('hidden');
  });

  test.each(['Acme', 'a b', '""', '"a\\nb"', '"acme\\n"', 'ä', `${'a'.repeat(64)}`, '[a]', 'null'])(
    'with the name %s',
    async (name) => {
      const { problems } = await read(acme.replace('acme\n', `${name}\n`));
      expect(problems).toEqual([expect.stringMatching(/^entry 1: name: expected /)]);
    },
  );

  test('every problem comes in one go, by entry and field, and no secret with it', async () => {
    const { problems } = await read(`- api_key_env: sk hidden
- name: acme
  api_base_url: https://user:hidden@api.example.com
  api_key_file: keys/acme.key
  page_size: 0
- name: acme
  api_base_url: https://api.example.com?key=hidden
  session_spool_dir: spool
- name: other
  api_base_url: http://api.example.com
  api_key_env: KEY
  session_spool_dir: ./spool/
  api_key: hidden
`);
    expect(problems).toEqual([
      'entry 1: name: missing',
      'entry 1: api_base_url: missing',
      'entry 1: api_key_env: expected the name of a variable such as ACME_KEY',
      'entry 2 (acme): api_base_url: expected a URL without user name and password; the credential does not stand in the address',
      'entry 2 (acme): page_size: expected a whole number from 1 to 100, got "0"',
      'entry 3 (acme): api_base_url: expected a URL without query and fragment',
      'entry 3 (acme): api_key_file: missing; set it to a file that holds the key, or api_key_env to a variable',
      'entry 3 (acme): name: stands in entry 2, too; each name stands once',
      expect.stringMatching(/^entry 4 \(other\): api_key: the file holds no key/),
      'entry 4 (other): api_base_url: expected https, or http on loopback only',
    ]);
  });

  test('two organizations cannot share a folder of sessions', async () => {
    const other = acme.replaceAll('acme', 'other');
    const { problems } = await read(
      `${acme}  session_spool_dir: spool\n${other}  session_spool_dir: ./spool/\n`,
    );
    expect(problems).toEqual([
      'entry 2 (other): session_spool_dir: entry 1 has the same; each organization has its own',
    ]);
  });

  test('a key of .env goes only to hosts of a file that .env names, and a key of the environment only to others', async () => {
    const text = acme.replace('api_key_file: keys/acme.key', 'api_key_env: ACME_KEY');
    const given = { ORGANIZATIONS_FILE: 'x', ACME_KEY: 'hidden' };
    for (const ofFile of [['ACME_KEY'], ['ORGANIZATIONS_FILE']]) {
      const { problems } = await read(text, given, ofFile);
      expect(problems).toEqual([
        expect.stringMatching(
          /^entry 1 \(acme\): api_key_env: ORGANIZATIONS_FILE: is set in .* but ACME_KEY in /,
        ),
      ]);
    }
    for (const ofFile of [[], ['ACME_KEY', 'ORGANIZATIONS_FILE']])
      expect((await read(text, given, ofFile)).problems).toEqual([]);
  });

  test.each([
    ['missing', /cannot be read \(ENOENT\)/],
    ['directory', /is no regular file/],
    ['link', /is no regular file/],
    ['huge', /is larger than 16384 KiB/],
  ])('that is %s', async (name, reason) => {
    await mkdir(join(folder, 'directory'), { recursive: true });
    await symlink('directory', join(folder, 'link')).catch(() => undefined);
    if (name === 'huge') await writeFile(join(folder, 'huge'), ' '.repeat(16 * 1024 * 1024 + 1));
    const problems: string[] = [];
    const rules = {
      file: join(folder, name),
      given: {},
      sources,
      needsPlatform: true,
      ofFile: new Set<string>(),
    };
    expect(readOrganizationsFile(rules, problems)).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(reason)]);
    expect(problems[0]).toMatch(
      /^ORGANIZATIONS_FILE: the file ".*" that it names .*; set it to a YAML list of organizations$/,
    );
  });
});

describe('the key of an organization', () => {
  test('is read anew from its file or its variable, without white space around it', async () => {
    const file = join(folder, 'key');
    for (const key of ['sk-1', 'sk-2']) {
      await writeFile(file, `\n ${key} \n`);
      expect(readKey({ name: 'acme', key: { file } }, {})).toBe(key);
      expect(readKey({ name: 'acme', key: { variable: 'ACME_KEY' } }, { ACME_KEY: ` ${key}\n` })).toBe(key);
    }
  });

  test.each([
    [
      'missing',
      undefined,
      /^acme: api_key_file: the file that it names cannot be read \(ENOENT\); put the key there/,
    ],
    ['empty', ' \n', /^acme: api_key_file: the file that it names is empty; put the key there/],
    [
      'of two lines',
      'hidden\nhidden',
      /^acme: api_key_file: the file that it names holds no key; expected printable/,
    ],
    ['too large', 'x'.repeat(16_385), /^acme: api_key_file: the file that it names is larger than 16 KiB/],
  ])('in a file that is %s fails that organization alone', async (_, text, sentence) => {
    const file = join(folder, `key-${text?.length}`);
    if (text !== undefined) await writeFile(file, text);
    expect(problemOf(() => readKey({ name: 'acme', key: { file } }, {}))).toMatch(sentence);
  });

  test('cannot be in a link to a folder', async () => {
    const file = join(folder, 'link-to-folder');
    await symlink(folder, file);
    expect(problemOf(() => readKey({ name: 'acme', key: { file } }, {}))).toMatch(/is no regular file/);
  });

  test.each([
    [undefined, 'acme: api_key_env: the variable ACME_KEY is not set; set it to the key'],
    [' ', 'acme: api_key_env: the variable ACME_KEY is not set; set it to the key'],
    ['hidden\nhidden', /^acme: api_key_env: the variable ACME_KEY holds no key; expected printable/],
  ])('in a variable with %j fails that organization alone', (value, sentence) => {
    const problem = problemOf(() =>
      readKey({ name: 'acme', key: { variable: 'ACME_KEY' } }, { ACME_KEY: value }),
    );
    expect(problem).toMatch(sentence);
    expect(problem).not.toContain('hidden');
  });
});

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.join('\n');
    throw error;
  }
  throw new Error('expected a ConfigurationError');
}
