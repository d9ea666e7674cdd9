/** Every command line in the documents is run, in the order in which it stands there, and its exit code checked. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { sessionsOf } from '../../src/simulator/sessions.ts';
import { type DocumentedCommand, documentedCommands } from '../support/commands-in-documents.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { programFile, startProgram } from '../support/program.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
const commands = await documentedCommands();

let installation: Installation;
let database: TestDatabase;
let data: string;

beforeAll(async () => {
  const sessions = sessionsOf({ seed: 1, clock: Date.now }, day('2026-01-14'));
  installation = await install({ users: 3, sessions });
  // What they begin with is a database that holds nothing.
  database = await createEmptyDatabase();
  data = await mkdtemp(join(tmpdir(), 'usage-etl-documents-'));
  await chmod(data, 0o711);
});

afterAll(async () => {
  await database.drop();
  await installation[Symbol.asyncDispose]();
  await rm(data, { recursive: true });
});

/** Runs a command of the program; one that stays up is asked to end as soon as it is up. */
async function runProgram(words: readonly string[]): Promise<void> {
  const environment = {
    ...installation.environment,
    DATABASE_URL: database.url,
    DATA_DIR: data,
    SESSION_SPOOL_DIR: join(data, 'spool'),
  };
  // Where the files that they write may lie.
  const run = startProgram(programFile, words, environment, data);
  const [command = ''] = words;
  const staysUp = ['db', 'schedule'].includes(command) || (command === 'demo' && !words.includes('--exit'));
  if (staysUp) {
    await (command === 'schedule' ? run.says('waiting for the next run') : run.prints());
    run.process.kill('SIGTERM');
  }
  const { code, stderr } = await run.ended;
  expect(code, stderr).toBe(0);
}

/** What must hold of a line, by the way in which it begins. Whatever is none of these is a line that nobody has checked. */
const kinds: readonly [RegExp, (rest: string) => Promise<void> | void][] = [
  [/^(?:cd \/opt\/usage-etl && )?npm run -s etl -- (.*)$/, (rest) => runProgram(wordsOf(rest))],
  [/^usage-etl (.*)$/, (rest) => runProgram(wordsOf(rest))],
  [/^((?:migrate|nightly|backfill|replay|verify|status) --.*)$/, (rest) => runProgram(wordsOf(rest))],
  [/^dist\/jobs\/usage-etl\.cjs (.*)$/, (rest) => runProgram(wordsOf(rest))],
  [/^npm run demo(?: -- )?(.*)$/, (rest) => runProgram(['demo', '--users', '3', ...wordsOf(rest)])],
  // Installing, testing and measuring within a test would not end. That they are there is known; .ci/run runs them.
  [/^npm run (?:-s )?([\w:]+)$/, (name) => expect(scripts).toHaveProperty([name === 'etl' ? 'etl' : name])],
  [/^npm test(?: -- (.*))?$/, (path) => expect(path === '' || existsSync(join(checkout, path))).toBe(true)],
  // The random tests read their counts from these variables, which stand in the code of the test that is named.
  [/^((?:USAGE_ETL_\w+=\d+ )+npm test -- \S+)/, expectReadByTest],
  [/^npm ci/, () => expect(existsSync(join(checkout, 'package-lock.json'))).toBe(true)],
  [/^cp (\S+) \.env$/, (file) => expect(existsSync(join(checkout, file))).toBe(true)],
  [
    /^(\.ci\/[\w-]+)$/,
    async (file) => void (await promisify(execFile)('bash', ['-n', join(checkout, file)])),
  ],
  // Run as it stands by the tests of containers.
  [/^(docker compose up --detach --wait)/, (line) => expectInTest(line, 'test/containers/compose.test.ts')],
  // Programs of others, with what Postgres says of them.
  [/^(pg_dump|pg_restore|git pull)\b/, () => undefined],
];

/** Some test's code, or what it shares with others, must read each of the variables. */
async function expectReadByTest(line: string): Promise<void> {
  const [variables = '', file = ''] = line.split(' npm test -- ');
  const code = await Promise.all(
    [file, 'test/reliability/random-test.ts'].map((path) => readFile(join(checkout, path), 'utf8')),
  );
  for (const [, name] of variables.matchAll(/USAGE_ETL_(\w+)=/g)) expect(code.join('')).toContain(name);
}

/** A test runs the words of a line. */
async function expectInTest(line: string, file: string): Promise<void> {
  const words = line.split(' ').slice(2);
  expect(await readFile(join(checkout, file), 'utf8')).toContain(words.map((word) => `'${word}'`).join(', '));
}

function wordsOf(rest: string): string[] {
  return rest
    .replace(/ >.*$/, '')
    .split(' ')
    .filter((word) => word !== '');
}

async function check({ line }: DocumentedCommand): Promise<void> {
  for (const [pattern, hold] of kinds) {
    const found = pattern.exec(line);
    if (found !== null) return await hold(found[1] ?? '');
  }
  throw new Error(`expected a line of a kind that is known here, got ${JSON.stringify(line)}`);
}

test('the documents hold command lines, those of the README first among them', () => {
  const lines = commands.filter(({ document }) => document === 'README.md').map(({ line }) => line);
  expect(lines.slice(0, 3)).toEqual(['npm ci', 'npm run demo', 'npm run demo -- --exit']);
  expect(lines).toContain('npm run -s etl -- verify');
  expect(new Set(commands.map(({ document }) => document)).size).toBeGreaterThan(3);
});

// README comes first: it is what makes the database that the others speak of.
const ordered = [...commands].sort(
  (a, b) => Number(b.document === 'README.md') - Number(a.document === 'README.md'),
);
const seen = new Set<string>();
test.each(ordered.filter(({ line }) => !seen.has(line) && seen.add(line)))(
  '$document: $line',
  async (command) => await check(command),
);
