/** docs/json.md names the fields that the commands print, and no other. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobs } from '../../jobs/all-jobs.ts';
import { day } from '../../src/model/day.ts';
import { Computers } from '../../src/simulator/computers.ts';
import { openPointsOf } from '../../src/simulator/open-points.ts';
import { sessionsOf } from '../../src/simulator/sessions.ts';
import { UserLimits } from '../../src/simulator/user-limits.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { programFile, startProgram } from '../support/program.ts';

const text = await readFile(fileURLToPath(new URL('../../docs/json.md', import.meta.url)), 'utf8');

/** The examples by the heading above them. */
const examples = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .flatMap((part): [string, unknown][] => {
      const [heading = ''] = part.split('\n');
      const block = /^```json\n([\s\S]*?)^```$/m.exec(part)?.[1] ?? 'null';
      return heading.split(', ').map((name) => [name, JSON.parse(block)]);
    }),
);

/** The paths of all fields, with what kind of value stands there; every element of a list counts. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => fieldsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, item]) => fieldsOf(item, `${path}.${name}`));
}

const fieldSet = (value: unknown) => [...new Set(fieldsOf(value))].sort();

const sessions = sessionsOf({ seed: 1, clock: Date.now }, day('2026-01-14'));
const firstMessage = sessions.messages('session_000000002')?.[0]?.id ?? '';

let installation: Installation;
let empty: TestDatabase;
let data: string;

beforeAll(async () => {
  const limits = new UserLimits(() => true);
  const points = openPointsOf({ 'new-computers': 'active', 'provisioning-ms': '0' });
  const computers = new Computers({ seed: 1, clock: Date.now, points });
  [installation, empty] = await Promise.all([
    install({ users: 5, computers, limits, sessions }),
    createEmptyDatabase(),
  ]);
  data = await mkdtemp(join(tmpdir(), 'usage-etl-json-'));
  await chmod(data, 0o711);
  await writeFile(
    join(data, 'organizations.yaml'),
    `- name: acme\n  api_base_url: ${installation.simulator.url}\n  api_key_env: ACME_KEY\n`,
  );
  await writeFile(join(data, 'limits.csv'), 'email,limit\nada@example.com,1000000\n');
});

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await empty.drop();
  await rm(data, { recursive: true });
});

async function printed(commandLine: string): Promise<unknown> {
  const usesQueue = /^(enqueue|worker)/.test(commandLine);
  const inEmpty = usesQueue || commandLine.startsWith('migrate') ? { DATABASE_URL: empty.url } : {};
  const { API_BASE_URL: _, API_KEY, ...common } = installation.environment;
  const environment = {
    ...(usesQueue
      ? { ...common, ORGANIZATIONS_FILE: join(data, 'organizations.yaml') }
      : installation.environment),
    DATA_DIR: data,
    ...(usesQueue ? {} : { SESSION_SPOOL_DIR: join(data, 'spool') }),
    ...inEmpty,
  };
  const run = startProgram(programFile, [...commandLine.split(' '), '--json'], environment, data);
  if (commandLine === 'worker') await run.says('taking jobs from the queue');
  else if (commandLine === 'schedule') await run.says('waiting for the next run');
  else if (/^(db|demo|simulate)/.test(commandLine)) await run.prints();
  if (/^(schedule|worker|db|demo|simulate)/.test(commandLine)) run.process.kill('SIGTERM');
  const { code, stdout, stderr } = await run.ended;
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** With all that the platform can say of a computer. */
const fully =
  '--provider byom --host-id 0b0f6c0a-8a2c-11ee-b9d1-0242ac120002 --remote-user ada --template-id t1';
/** A file of the tests. */
function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

const commandLines: readonly [string, string][] = [
  ['migrate --status', 'migrate --status'],
  ['migrate', 'migrate'],
  ['backfill', 'backfill --to 2026-01-16'],
  ['nightly', 'nightly --date 2026-01-16'],
  ['replay', 'replay --to 2026-01-16'],
  ['backfill --dry-run', 'backfill --dry-run'],
  ['verify', 'verify --to 2026-01-16'],
  ['status', 'status --to 2026-01-16'],
  ['limits apply --dry-run', 'limits apply limits.csv --dry-run'],
  ['limits apply', 'limits apply limits.csv --yes'],
  ['limits history', 'limits history'],
  ['limits suggest', 'limits suggest --days 3660'],
  ['doctor', 'doctor'],
  ['computers create', `computers create web --repos https://git.example.com/a ${fully}`],
  ['computers show', 'computers show web'],
  ['computers list', 'computers list'],
  ['computers update', 'computers update web --remote-user eva'],
  ['computers install-deps', 'computers install-deps web'],
  ['sessions add', 'sessions add session_000000002 session_000000003'],
  ['sessions load', 'sessions load session_000000002'],
  ['sessions hook', 'sessions hook'],
  ['sessions show', `sessions show session_000000002 ${firstMessage}`],
  ['schedule', 'schedule'],
  ['enqueue nightly', 'enqueue nightly'],
  ['enqueue backfill', 'enqueue backfill --to 2026-01-16'],
  ['worker', 'worker'],
  ['people import', `people import ${fixture('people.csv')}`],
  ['prices import', `prices import ${fixture('prices.csv')}`],
  ['maintenance', 'maintenance'],
  ['forget-user --dry-run', 'forget-user user_000000002 --dry-run'],
  ['forget-user', 'forget-user user_000000002'],
  ['simulate', 'simulate --port 0'],
  ['db', 'db'],
  ['demo', 'demo --users 3 --to 2026-02-13'],
  ['report', 'report --from 2026-01-14 --to 2026-01-16'],
  ['completion', 'completion bash'],
];

test('every command is documented', () => {
  expect([...examples.keys()].sort()).toEqual(commandLines.map(([name]) => name).sort());
  const documented = new Set([...examples.keys()].map((name) => name.split(' ')[0]));
  expect([...documented].sort()).toEqual([...Object.keys(jobs), 'completion'].sort());
});

test.each(commandLines)('%s prints what is documented', async (name, commandLine) => {
  const fields = fieldSet(await printed(commandLine));
  expect(fields).toEqual(fieldSet(examples.get(name)));
});

test('a command that can do nothing prints the object at the top', async () => {
  const [, block = ''] = /^```json\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const { stdout } = await installation.run('nightly --json', { API_KEY: '' });
  expect(JSON.parse(stdout)).toEqual(JSON.parse(block));
});
