/** Runs command lines as they stand in the documents, and checks their exit codes. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { addDays, day, earliestDay, yesterday } from '../../src/model/day.ts';
import { sessionsOf } from '../../src/simulator/sessions.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import type { DocumentedCommand } from './commands-in-documents.ts';
import { createEmptyDatabase, type TestDatabase } from './database.ts';
import { type Installation, install } from './installation.ts';
import { installOrganizations, type Organizations } from './organizations.ts';
import { copyCheckout } from './package.ts';
import { programFile, startProgram } from './program.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const { scripts, version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));

let installation: Installation;
let database: TestDatabase;
let data: string;
/** For lines with --organization. */
let organizations: Organizations;

/** Prepares a platform and an empty database for the tests of a file, which share them as the lines of a document do. */
export function setUpDocumentedLines(): void {
  beforeAll(async () => {
    const sessions = sessionsOf({ seed: 1, clock: Date.now }, day('2026-01-14'));
    installation = await install({ users: 3, sessions });
    // The first lines of a document work with an empty database.
    database = await createEmptyDatabase();
    organizations = await installOrganizations(['acme', 'other'], 3);
    await migrate(organizations.database.url, { queue: 'needed' });
    data = await mkdtemp(join(tmpdir(), 'usage-etl-documents-'));
    await chmod(data, 0o711);
  });

  afterAll(async () => {
    await database.drop();
    await installation[Symbol.asyncDispose]();
    await organizations[Symbol.asyncDispose]();
    await rm(data, { recursive: true });
  });
}

/** Lines that name no day run from this day on: all days would take longer with every day that passes. */
const firstDay = addDays(yesterday(Date.now), -9);
const smallDemo = ['--users', '3', '--to', addDays(earliestDay, 30)];
const ofAllDays = /^(?:backfill|verify)$/;

/** Runs a command of the program. One that stays up gets a signal to end as soon as it is up. */
async function runProgram(asked: readonly string[]): Promise<void> {
  const [command = ''] = asked;
  const words = ofAllDays.test(command) && !asked.includes('--from') ? [...asked, '--from', firstDay] : asked;
  const isOfFile = words.includes('--organization') || usesQueue.test(words.join(' '));
  const environment = isOfFile
    ? { ...organizations.environment, DATA_DIR: data }
    : {
        ...installation.environment,
        DATABASE_URL: database.url,
        DATA_DIR: data,
        SESSION_SPOOL_DIR: join(data, 'spool'),
      };
  // Where the files that they write may lie.
  const run = startProgram(programFile, words, environment, data);
  const staysUp =
    ['db', 'schedule', 'worker'].includes(command) || (command === 'demo' && !words.includes('--exit'));
  if (staysUp) {
    if (command === 'worker') await run.says('taking jobs from the queue');
    else if (command === 'schedule')
      await run.says(words.includes('--enqueue') ? 'keeping nights for workers' : 'waiting for the next run');
    else await run.prints();
    run.process.kill('SIGTERM');
  }
  const { code, stderr } = await run.ended;
  expect(code, stderr).toBe(0);
}

/** Lines that need the queue. */
const usesQueue = /^(?:enqueue|worker|schedule --enqueue)/;

/** How lines are checked, by their beginning. A line that fits none of these fails, because it would not be checked. */
const kinds: readonly [RegExp, (rest: string) => Promise<void> | void][] = [
  [/^(?:cd \/opt\/usage-etl && )?npm run -s etl -- (.*)$/, (rest) => runProgram(wordsOf(rest))],
  [/^usage-etl (.*)$/, (rest) => runProgram(wordsOf(rest))],
  [/^((?:migrate|nightly|backfill|replay|verify|status) --.*)$/, (rest) => runProgram(wordsOf(rest))],
  [/^dist\/jobs\/usage-etl\.cjs (.*)$/, (rest) => runProgram(wordsOf(rest))],
  [/^npm run demo(?: -- )?(.*)$/, (rest) => runProgram(['demo', ...smallDemo, ...wordsOf(rest)])],
  // Installing, testing and measuring would take too long here. Only check that the script exists; .ci/run runs it.
  [/^npm run (?:-s )?([\w:]+)$/, (name) => expect(scripts).toHaveProperty([name === 'etl' ? 'etl' : name])],
  [
    /^npm (?:test|run test:\w+)(?: -- (.*))?$/,
    (path) => expect(path === '' || existsSync(join(checkout, path))).toBe(true),
  ],
  // Random tests read their counts from these variables, so the code of the named test must name them.
  [/^((?:USAGE_ETL_\w+=\d+ )+npm run test:some -- \S+)/, expectReadByTest],
  [/^npm pack$/, packCheckout],
  [/^npm install --global (usage-etl-\S+\.tgz)$/, installPacked],
  [
    /^cd \/etc\/usage-etl && (.*)$/,
    async (rest) => {
      for (const command of rest.split(' && ')) await runProgram(wordsOf(command).slice(1));
    },
  ],
  [/^install .*?(deploy\/\S+)/, (file) => expect(existsSync(join(checkout, file))).toBe(true)],
  // test/containers/system.test.ts runs these lines for systemd and administrators.
  [/^(?:install --|useradd |systemctl |systemd-run |--property=|sh -c )/, () => undefined],
  [/^npm ci/, () => expect(existsSync(join(checkout, 'package-lock.json'))).toBe(true)],
  [/^cp -n (\S+) \.env$/, (file) => expect(existsSync(join(checkout, file))).toBe(true)],
  [
    /^(\.ci\/[\w-]+)$/,
    async (file) => void (await promisify(execFile)('bash', ['-n', join(checkout, file)])),
  ],
  // The tests of containers run these words.
  [/^(docker compose up --detach --wait)/, (line) => expectInTest(line, 'test/containers/compose.test.ts')],
  // Programs that are not ours are not run.
  [/^(pg_dump|pg_restore|git pull)\b/, () => undefined],
];

/** Packs a copy of this checkout, so that no file is left in the checkout. */
async function packCheckout(): Promise<void> {
  const sources = join(data, 'sources');
  await mkdir(sources);
  await copyCheckout(sources);
  await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', data], { cwd: sources });
}

/** Installs the packed file into a temporary folder, without packages that would be downloaded. */
async function installPacked(file: string): Promise<void> {
  const prefix = join(data, 'global');
  const offline = ['--offline', '--omit=optional', `--prefix=${prefix}`];
  await promisify(execFile)('npm', ['install', '--global', ...offline, join(data, file)]);
  const { stdout } = await promisify(execFile)(join(prefix, 'bin/usage-etl'), ['--version']);
  expect(stdout.trim()).toBe(version);
}

/** The code of the test, or the code that random tests share, must read each of the variables. */
async function expectReadByTest(line: string): Promise<void> {
  const [variables = '', file = ''] = line.split(' npm run test:some -- ');
  const code = await Promise.all(
    [file, 'test/reliability/random-test.ts'].map((path) => readFile(join(checkout, path), 'utf8')),
  );
  for (const [, name] of variables.matchAll(/USAGE_ETL_(\w+)=/g)) expect(code.join('')).toContain(name);
}

/** Expects that the code of a test has the words of a line. */
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

/** Checks a line, and throws if the check fails. */
export async function followLine({ line }: DocumentedCommand): Promise<void> {
  for (const [pattern, hold] of kinds) {
    const found = pattern.exec(line);
    if (found !== null) return await hold(found[1] ?? '');
  }
  throw new Error(`expected a line of a kind that is known here, got ${JSON.stringify(line)}`);
}
