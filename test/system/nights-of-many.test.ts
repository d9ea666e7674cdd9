/** Nights of many organizations: tries, messages, heartbeat, log and traces. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import {
  installMany,
  type ManyOrganizations,
  type OrganizationOptions,
} from '../support/many-organizations.ts';
import { farSchedule, type MessageReceiver, startMessageReceiver } from '../support/nights.ts';
import { startOtlpCollector } from '../support/otlp-collector.ts';
import { impatientTiming } from '../support/timing.ts';

const night = '2026-03-10';
const nightly = `nightly --date ${night}`;
/** What may stand in an answer of the platform, and must not leave the house. */
const person = 'user_4711 ada@example.com';
const failing: Fault = {
  kind: 'status',
  status: 500,
  body: { title: 'broken', detail: `no figures for ${person}` },
};

let receiver: MessageReceiver;
let many: ManyOrganizations;
/** The organizations whose platforms fail for one endpoint. */
let broken: Set<string>;

beforeEach(async () => {
  broken = new Set();
  receiver = await startMessageReceiver();
  const options = (name: string): OrganizationOptions => ({
    fault: ({ path }) => (path.endsWith('/tools') && broken.has(name) ? failing : undefined),
  });
  many = await installMany(
    Object.fromEntries(['acme', 'beta', 'gamma', 'delta'].map((name) => [name, options(name)])),
    {
      NOTIFY_WEBHOOK_URL: receiver.at('/hooks/a-secret-of-the-chat'),
      HEARTBEAT_URL: receiver.at('/alive'),
      LOG_FORMAT: 'json',
    },
  );
});

afterEach(async () => {
  await receiver.close();
  await many[Symbol.asyncDispose]();
});

const bodies = () =>
  receiver.messages.filter(({ path }) => path !== '/alive').map(({ body }) => Object(body));
const heartbeats = () => receiver.messages.filter(({ path }) => path === '/alive').length;
/** The names of a message, by the messages so far. */
const told = () =>
  bodies().map(({ event, status, organizations }) => [
    event,
    status,
    organizations.map(({ name }: { name: string }) => name),
  ]);
const run = () => many.run(nightly, { timing: impatientTiming });

test('each failure of a night is told once, and one message tells that all have recovered', async () => {
  broken = new Set(['acme', 'beta']);
  expect((await run()).codes).toEqual({ acme: 1, beta: 1, gamma: 0, delta: 0 });
  expect((await run()).code).toBe(1);
  expect(told()).toEqual([['night_failed', 'partial', ['acme', 'beta']]]);
  const [first] = bodies();
  expect(first).toEqual({
    event: 'night_failed',
    text: `Night ${night} is not whole for 2 organizations: acme: missing: tools ${night} (HTTP 500); beta: missing: tools ${night} (HTTP 500)`,
    night,
    status: 'partial',
    organizations: [
      { name: 'acme', status: 'partial', run_id: expect.any(Number) },
      { name: 'beta', status: 'partial', run_id: expect.any(Number) },
    ],
  });
  broken = new Set(['beta', 'gamma']);
  await run();
  expect(told().slice(1)).toEqual([['night_failed', 'partial', ['gamma']]]);
  broken = new Set(['beta']);
  await run();
  expect({ messages: told().length, heartbeats: heartbeats() }).toEqual({ messages: 2, heartbeats: 0 });
  broken = new Set();
  expect((await run()).code).toBe(0);
  expect(told().slice(2)).toEqual([['night_recovered', 'succeeded', ['acme', 'beta', 'gamma']]]);
  expect(heartbeats()).toBe(1);
  await run();
  expect({ messages: told().length, heartbeats: heartbeats() }).toEqual({ messages: 3, heartbeats: 2 });
  expect(JSON.stringify(receiver.messages)).not.toMatch(/user_4711|ada@|key-of/);
});

test('an organization without a key is told of once by all processes of a night, and so is its recovery', async () => {
  const key = `${many.folder}/beta.key`;
  const right = await readFile(key);
  await rm(key);
  expect((await run()).codes).toEqual({ acme: 0, beta: 2, gamma: 0, delta: 0 });
  expect((await run()).code).toBe(1);
  expect(told()).toEqual([['night_failed', 'partial', ['beta']]]);
  const [first] = bodies();
  expect(first.organizations).toEqual([{ name: 'beta', status: 'failed', run_id: null }]);
  expect(first.text).toMatch(/for 1 organization: beta: api_key_file: the file that it names cannot be read/);
  await writeFile(key, right);
  expect((await run()).code).toBe(0);
  expect(told().slice(1)).toEqual([['night_recovered', 'succeeded', ['beta']]]);
});

test('schedule tries again only who was not good, and of these only what is missing', async () => {
  const { CRON_SCHEDULE, night: due } = farSchedule();
  broken = new Set(['acme']);
  const started = many.start('schedule', {
    CRON_SCHEDULE,
    NIGHT_RETRY_MINUTES: '0.01',
    STATUS_GRACE_HOURS: '0',
  });
  await receiver.received(1);
  const asked = (name: string) =>
    many.simulators
      .get(name)
      ?.requests.filter(({ days }) => days?.from === due && days.to === due)
      .map(({ path }) => path.split('/').at(-1)) ?? [];
  const before = { acme: asked('acme').length, beta: asked('beta').length };
  broken = new Set();
  await receiver.received(3);
  started.process.kill('SIGTERM');
  expect((await started.ended).code).toBe(0);
  expect(told()).toEqual([
    ['night_failed', 'partial', ['acme']],
    ['night_recovered', 'succeeded', ['acme']],
  ]);
  expect(heartbeats()).toBe(1);
  expect(asked('beta')).toHaveLength(before.beta);
  // One request learns the organization.
  expect(new Set(asked('acme').slice(before.acme))).toEqual(new Set(['activity', 'tools']));
});

test('single nights in an outage of the ledger are told once for all, and recover once', async () => {
  const data = join(many.folder, 'data');
  const inOutage = () => many.run(nightly, { timing: impatientTiming, environment: { DATA_DIR: data } });
  await many.database.pool.query('alter table etl.run rename to hidden');
  // Whether all fail or none could begin does not matter here.
  for (const _ of ['once', 'again']) await inOutage().catch(() => undefined);
  await many.database.pool.query('alter table etl.hidden rename to run');
  expect((await inOutage()).code).toBe(0);
  await inOutage();
  const names = ['acme', 'beta', 'gamma', 'delta'];
  expect(told()).toEqual([
    ['night_failed', 'failed', names],
    ['night_recovered', 'succeeded', names],
  ]);
  expect((await readdir(data)).filter((name) => name.startsWith('told-messages'))).toEqual([]);
});

test('a night that is whole for all is not loaded again at start: one request shows whether each key is good', async () => {
  const { CRON_SCHEDULE, night: due } = farSchedule();
  expect((await many.run(`nightly --date ${due}`, { timing: impatientTiming })).code).toBe(0);
  const asked = () => [...many.simulators.values()].map(({ requests }) => requests.length);
  const before = asked();
  await writeFile(`${many.folder}/beta.key`, 'a-key-that-is-refused');
  const started = many.start('schedule', { CRON_SCHEDULE });
  await expect.poll(asked, { timeout: 20_000 }).toEqual(before.map((requests) => requests + 1));
  await started.says('API_KEY');
  started.process.kill('SIGTERM');
  const { code, stderr } = await started.ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(/"organization":"beta".*API_KEY/);
  const { rows } = await many.database.pool.query('select from etl.run');
  expect(rows).toHaveLength(4);
});

test('a file that became wrong is told of for each organization, and once that all have recovered', async () => {
  const { CRON_SCHEDULE } = farSchedule();
  const { ORGANIZATIONS_FILE = '' } = many.environment;
  const right = await readFile(ORGANIZATIONS_FILE);
  broken = new Set(['acme']);
  const started = many.start('schedule', {
    CRON_SCHEDULE,
    NIGHT_RETRY_MINUTES: '0.01',
    STATUS_GRACE_HOURS: '0',
  });
  await receiver.received(1);
  await writeFile(ORGANIZATIONS_FILE, '- name: acme');
  await started.says('nightly could not run');
  broken = new Set();
  await writeFile(ORGANIZATIONS_FILE, right);
  await receiver.received(3);
  started.process.kill('SIGTERM');
  await started.ended;
  expect(told()).toEqual([
    ['night_failed', 'partial', ['acme']],
    ['night_recovered', 'succeeded', ['acme']],
  ]);
});

test('each line of the log, each run and each span of a run has the name of its organization', async () => {
  const collector = await startOtlpCollector();
  broken = new Set(['acme']);
  const { stderr } = await many.start(nightly, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }).ended;
  await collector.close();
  const lines: { msg: string; organization?: string }[] = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const planned = lines.filter(({ msg }) => msg.startsWith('planned'));
  expect(new Set(planned.map(({ organization }) => organization))).toEqual(
    new Set(['acme', 'beta', 'gamma', 'delta']),
  );
  expect(lines.find(({ msg }) => msg === 'slice failed')).toMatchObject({ organization: 'acme' });
  const runs = collector.spans.filter(({ name }) => name === 'usage_etl.run');
  expect(runs.map(({ attributes }) => attributes['usage_etl.organization']).sort()).toEqual([
    'acme',
    'beta',
    'delta',
    'gamma',
  ]);
  const { rows } = await many.database.pool.query<{ name: string }>(
    `select arguments ->> 'organization' as name from etl.run order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(['acme', 'beta', 'delta', 'gamma']);
});
