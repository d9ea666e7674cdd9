/** The commands about computers, as programs. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import type { Choices } from '../../src/simulator/open-points.ts';
import { startAnsweringServer } from '../support/answering-server.ts';
import { type Spoil, startComputersPlatform } from '../support/computers-platform.ts';
import { apiKey } from '../support/platform-access.ts';
import { type Ended, programFile, startProgram } from '../support/program.ts';

const root = '/api/v0/computers';
const hostId = '0b0f6c0a-8a2c-11ee-b9d1-0242ac120002';

let platform: Awaited<ReturnType<typeof startComputersPlatform>>;
let spoil: Spoil;

beforeEach(() => {
  spoil = () => undefined;
  return start({ 'new-computers': 'active' });
});

async function start(choices: Choices) {
  platform = await startComputersPlatform(
    { 'provisioning-ms': '600', 'bad-request': '422', ...choices },
    (...asked) => spoil(...asked),
  );
}

async function startAnew(choices: Choices) {
  await platform[Symbol.asyncDispose]();
  await start(choices);
}

afterEach(() => platform[Symbol.asyncDispose]());

/** Runs a command; there is no database. */
async function run(commandLine: string | readonly string[], environment: Record<string, string> = {}) {
  const words = typeof commandLine === 'string' ? commandLine.split(' ') : commandLine;
  return await startProgram(programFile, ['computers', ...words], {
    API_BASE_URL: platform.url.href,
    API_KEY: apiKey,
    MAX_RETRIES: '1',
    ...environment,
  }).ended;
}

const objectOf = ({ stdout }: Ended): unknown => JSON.parse(stdout);

test('a computer is created, shown, changed, listed and followed', async () => {
  const created = await run([
    ...['create', 'web', '--provider', 'byom', '--host-id', hostId, '--remote-user', 'ada'],
    ...['--repos', 'https://git.example.com/a', 'https://git.example.com/b', '--no-auto-install-deps'],
    ...['--service-account-id', 'sa_1', '--template-id', 't1', '--wait', '--json'],
  ]);
  expect(created.code, created.stderr).toBe(0);
  expect(objectOf(created)).toMatchObject({
    status: 'active',
    confirmed_by: 'answer',
    computer: { id: 'computer_000001', name: 'web', status: 'active', hostId, remoteUser: 'ada' },
  });
  expect(JSON.parse(platform.requests[0]?.body ?? '')).toEqual({
    name: 'web',
    provider: 'byom',
    hostId,
    remoteUser: 'ada',
    repos: ['https://git.example.com/a', 'https://git.example.com/b'],
    autoInstallDeps: false,
    serviceAccountId: 'sa_1',
    source: { kind: 'template', templateId: 't1' },
  });
  const changed = await run('update web --name web-2 --json');
  expect(objectOf(changed)).toMatchObject({
    found_by: 'name',
    computer: { name: 'web-2', remoteUser: 'ada' },
  });
  const shown = await run('show computer_000001');
  expect(shown.stdout).toMatch(
    /^Found by its id\.\n(.|\n)*name +web-2\n(.|\n)*install-dependencies +completed/,
  );
  const listed = await run(`list --host-id ${hostId} --steps --json`);
  expect(objectOf(listed)).toMatchObject({ computers: [{ name: 'web-2', provisioningSteps: [{}, {}, {}] }] });
  expect((await run('list')).stdout).toMatch(/computer_000001 +web-2 +byom +active/);
});

test('one that ends in error is exit 1; its install step may be tried again', async () => {
  await startAnew({ 'new-computers': 'mixed' });
  const failed = await run('create --name web --wait --json');
  expect(failed.code).toBe(1);
  expect(objectOf(failed)).toMatchObject({ status: 'error', error: '"web": it ended in error' });
  expect((await run('show web')).code).toBe(0);
  const again = await run('install-deps web --wait --json');
  expect(again.code, again.stderr).toBe(0);
  expect(objectOf(again)).toMatchObject({ found_by: 'name', status: 'active' });
});

test('one that takes too long is exit 1 with what was seen last', async () => {
  await startAnew({ 'provisioning-ms': '86400000' });
  const { code, stdout } = await run('create web --wait --timeout 1 --json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'provisioning',
    computer: { name: 'web' },
    error: expect.stringContaining('after 1 s'),
  });
});

const cut: Fault = { kind: 'truncate' };

describe('a connection that is cut between creation and answer', () => {
  test('costs one request, and creates no second computer', async () => {
    spoil = (asked, number) => (asked === `POST ${root}` && number === 1 ? cut : undefined);
    const created = await run('create web --json');
    expect(created.code, created.stderr).toBe(0);
    expect(objectOf(created)).toMatchObject({ confirmed_by: 'look-up', computer: { name: 'web' } });
    expect(created.stderr).toContain('the answer to the creation of "web" was lost');
    expect(platform.asked).toEqual([`POST ${root}`, `GET ${root}/name/web`]);
  });

  test('is told as such when nobody can say what became of it', async () => {
    spoil = (asked) => (asked === `POST ${root}` ? cut : { kind: 'status', status: 500 });
    const { code, stdout } = await run('create web --json', { MAX_RETRIES: '0' });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: expect.stringContaining('it is not known whether the creation of "web" succeeded'),
    });
    expect(platform.asked.filter((asked) => asked.startsWith('POST'))).toHaveLength(1);
  });
});

/** Command lines that are wrong, and what is said of them. */
const wrong: readonly [string | readonly string[], RegExp][] = [
  ['create', /--name: expected a text of 1 to 63/],
  [['create', ''], /--name: expected a text of 1 to 63/],
  [['create', 'x'.repeat(64)], /--name: expected a text of 1 to 63/],
  ['create ..', /--name: ".." cannot stand in a path/],
  ['create web --name web', /--name: the argument already gives the name/],
  ['create web --host-id mine', /--host-id: Invalid/],
  [['create', 'web', '--remote-user', ''], /--remote-user: expected a text of 1 to 63/],
  ['create web --repos nowhere', /--repos 0: Invalid URL/],
  [`create web --repos https://git.example.com/${'a'.repeat(2048)}`, /--repos 0: Too big/],
  [['create', 'web', '--repos', ...Array.from({ length: 21 }, () => 'https://e.com/a')], /--repos: Too big/],
  [['create', 'web', '--service-account-id', ''], /--service-account-id: Too small/],
  ['create web --wait --timeout 0', /--timeout: expected a whole number from 1 to 86400/],
  ['show', /missing required argument/],
  [['show', ''], /expected a text, got an empty one/],
  ['show ..', /".." cannot stand in a path/],
  ['update web', /expected what is to be changed: --name, --host-id, --remote-user/],
  [['update', 'web', '--name', ''], /--name: expected/],
  ['list --host-id x', /--host-id: Invalid/],
  ['list extra', /too many arguments/],
  ['destroy web', /unknown command 'destroy'/],
];

describe('exit codes', () => {
  test('2 for what is wrong on the command line, before anything is sent', async () => {
    const all = wrong.map(async ([commandLine, sentence]) => {
      const { code, stderr } = await run(commandLine);
      expect(stderr, String(commandLine)).toMatch(sentence);
      expect(code, String(commandLine)).toBe(2);
    });
    await Promise.all(all);
    expect(platform.asked).toEqual([]);
  });

  test('3 for a credential that is refused', async () => {
    const { code, stdout } = await run('list --json', { API_KEY: 'wrong' });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ error: expect.stringContaining('401') });
  });

  test('3 for a 403, whatever is asked', async () => {
    spoil = () => ({ kind: 'status', status: 403 });
    const all = ['list', 'show web', 'create web', 'update web --name x', 'install-deps web'];
    for (const { code, stderr } of await Promise.all(all.map((commandLine) => run(commandLine)))) {
      expect(code).toBe(3);
      expect(stderr).toContain('403: this API key may not');
    }
    expect(platform.asked).toHaveLength(all.length);
  });

  test('1 for a computer that is not there', async () => {
    const all = ['show nobody', 'update nobody --name x', 'install-deps nobody'];
    for (const { code, stderr } of await Promise.all(all.map((commandLine) => run(commandLine)))) {
      expect(code).toBe(1);
      expect(stderr).toContain('no computer has the id or the name "nobody"');
    }
  });

  test('1 for what the platform refuses, in its own words', async () => {
    platform.computers.create({ name: 'web' });
    const { code, stderr } = await run('create web');
    expect(code).toBe(1);
    expect(stderr).toContain('409 (a computer with the name "web" exists)');
  });
});

test('what the platform says steers no terminal, and shows no credential', async () => {
  const text = `\u001b[2J${apiKey}\u202e`;
  const hostile = { id: 'c', name: text, status: text, [text]: text, provisioningSteps: [{ name: text }] };
  const server = await startAnsweringServer((response, _, { url }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(url?.includes('?') ? hostile : { computers: [hostile], ...hostile }));
  });
  const all = await Promise.all(
    ['list', 'show c', 'list --json', 'show c --json', 'show c --wait --timeout 1'].map((commandLine) =>
      run(commandLine, { API_BASE_URL: server.url.href }),
    ),
  );
  await server.close();
  for (const { stdout, stderr } of all) {
    expect(stdout).toContain('\\u001b[2J');
    for (const shown of [stdout, stderr]) {
      expect(shown).not.toContain('\u001b[2J');
      expect(shown).not.toContain('\u202e');
      expect(shown).not.toContain(apiKey);
    }
  }
});

test('no setting of a database is needed, and none of it is looked at', async () => {
  const { code, stderr } = await run('list', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
