/** Webhook and heartbeat of `nightly` and `schedule`. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Day, day } from '../../src/model/day.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { commandInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { farSchedule, type MessageReceiver, startMessageReceiver } from '../support/nights.ts';
import { impatientTiming } from '../support/timing.ts';

const night = day('2026-03-10');
const nightly = `nightly --date ${night}`;
/** A time as messages have it. */
const minute = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC';
/** What may stand in an answer of the platform, and must not leave the house. */
const person = 'user_4711 ada@example.com';

let receiver: MessageReceiver;
let installation: Installation;
let fault: Fault | undefined;
/** Whether the platform answers 503 to everything. */
let isDown = false;
let environment: Record<string, string>;
/** The folder of `DATA_DIR`. */
let data: string;

beforeEach(async () => {
  fault = undefined;
  isDown = false;
  data = await mkdtemp(join(tmpdir(), 'usage-etl-nights-'));
  receiver = await startMessageReceiver();
  installation = await install({
    users: 10,
    busyWeekends: true,
    fault: ({ path }) => (isDown ? unavailable : path.endsWith('/tokens') ? fault : undefined),
  });
  environment = {
    DATA_DIR: data,
    LOOKBACK_DAYS: '0',
    LOG_FORMAT: 'json',
    NOTIFY_WEBHOOK_URL: receiver.at('/hooks/a-secret-of-the-chat'),
  };
});

afterEach(async () => {
  await receiver.close();
  await installation[Symbol.asyncDispose]();
  await rm(data, { recursive: true, force: true });
});

const keptFiles = async () => (await readdir(data)).filter((name) => name.startsWith('told-messages'));

/** Runs it in the process of the test; whoever never answers is given up soon. */
async function run(commandLine = nightly, more = {}): Promise<{ code: number; log: string }> {
  const lines: string[] = [];
  const { code } = await commandInProcess(installation, commandLine, {
    environment: { ...environment, ...more },
    timing: impatientTiming,
    onLine: (line) => lines.push(line),
  });
  return { code, log: lines.join('') };
}

/** The messages so far, without their words. */
const told = () =>
  receiver.messages.map(({ body }) => body).map((body) => ({ ...Object(body), text: undefined }));
const failing: Fault = {
  kind: 'status',
  status: 500,
  body: { title: 'broken', detail: `no figures for ${person}` },
};

const unavailable: Fault = { kind: 'status', status: 503, body: { title: person } };

function overrideAll(of: Day, rows: readonly unknown[] | undefined): void {
  for (const endpoint of ['tokens', 'tools']) installation.dataset.overrideRows(endpoint, of, rows);
}

test('a night that fails is told once, however often it is tried, and once that it recovered', async () => {
  fault = failing;
  expect((await run()).code).toBe(1);
  expect((await run()).code).toBe(1);
  const failed = { event: 'night_failed', night, status: 'partial', run_id: 1 };
  expect(told()).toEqual([failed]);
  fault = undefined;
  expect((await run()).code).toBe(0);
  const recovered = { event: 'night_recovered', night, status: 'succeeded', run_id: 3 };
  expect(told()).toEqual([failed, recovered]);
  expect(receiver.messages[1]?.body).toMatchObject({
    text: expect.stringMatching(
      `^Night ${night} has recovered in run 3: nothing is missing of tokens, tools, `,
    ),
  });
  await run();
  expect(told()).toHaveLength(2);
  fault = failing;
  await run('nightly --date 2026-03-11');
  expect(told().at(-1)).toEqual({ ...failed, night: '2026-03-11', run_id: 5 });
});

test('the text names endpoint and day, and no person, whatever the platform says', async () => {
  fault = failing;
  const { stderr } = await installation.run(nightly, environment);
  expect(stderr).toContain('user_4711');
  const [{ body, method, path } = { body: undefined, method: '', path: '' }] = receiver.messages;
  expect({ method, path }).toEqual({ method: 'POST', path: '/hooks/a-secret-of-the-chat' });
  expect(body).toMatchObject({
    text: expect.stringMatching(
      new RegExp(
        `^Night ${night} is not whole after run 1: missing: tokens ${night} \\(HTTP 500\\)\\. ` +
          `It has failed since ${minute}\\. The next night asks again, and so does \`.*nightly --date ${night}\`\\.$`,
      ),
    ),
  });
  expect(JSON.stringify(body)).not.toMatch(/user_4711|ada@|owner-key/);
  expect(stderr).not.toContain('a-secret-of-the-chat');
});

test('a platform that answers 503 to everything is named with its status', async () => {
  isDown = true;
  await run();
  expect(receiver.messages[0]?.body).toMatchObject({
    text: expect.stringMatching(
      new RegExp(
        `^Night ${night} is not whole after run 1: requests failed: activity, productivity \\(HTTP 503\\)\\. ` +
          `It has failed since ${minute}\\. `,
      ),
    ),
  });
  expect(JSON.stringify(receiver.messages)).not.toContain('4711');
});

test('a refused credential is told of by its variable, never by its value', async () => {
  const { code } = await run(nightly, { API_KEY: 'a-key-that-is-refused' });
  expect(code).toBe(3);
  expect(told()).toEqual([{ event: 'night_failed', night, status: 'failed', run_id: 1 }]);
  expect(JSON.stringify(receiver.messages)).toMatch(/API_KEY/);
  expect(JSON.stringify(receiver.messages)).not.toContain('a-key-that-is-refused');
});

test('a night that could not begin has no run', async () => {
  const { code } = await installation.run(nightly, {
    ...environment,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
  });
  expect(code).toBe(1);
  expect(told()).toEqual([{ event: 'night_failed', night, status: 'failed', run_id: null }]);
  expect(receiver.messages[0]?.body).toMatchObject({ text: expect.stringContaining('DATABASE_URL') });
});

test('nights of single tries in an outage of the ledger are told once, with the first time, and recover', async () => {
  const { pool } = installation.database;
  await pool.query('alter table etl.run rename to hidden');
  // Nobody heard of the first try.
  receiver.answers = 503;
  const couldNotBegin = async () => expect(run()).rejects.toThrow();
  await couldNotBegin();
  const [file = ''] = await keptFiles();
  const path = join(data, file);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const began = Date.parse('2026-03-11T02:15Z');
  await writeFile(path, JSON.stringify({ '': { failing: { night, sinceMs: began } } }));
  receiver.answers = 204;
  for (const _ of ['second', 'third']) await couldNotBegin();
  expect(told().slice(3)).toEqual([{ event: 'night_failed', night, status: 'failed', run_id: null }]);
  expect(receiver.messages.at(-1)?.body).toMatchObject({
    text: expect.stringContaining('It has failed since 2026-03-11 02:15 UTC.'),
  });
  await pool.query('alter table etl.hidden rename to run');
  expect((await run()).code).toBe(0);
  await run();
  expect(told().slice(4)).toMatchObject([{ event: 'night_recovered', night, status: 'succeeded' }]);
  expect(await keptFiles()).toEqual([]);
});

test('a failure of a run whose ledger row could not be written is taken over by the ledger at the next try', async () => {
  const { pool } = installation.database;
  await pool.query(`create function etl.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no space left' using errcode = '53100'; end $$`);
  await pool.query('create trigger refuse before update on etl.run execute function etl.refuse()');
  expect((await run()).code).toBe(1);
  await pool.query('drop trigger refuse on etl.run');
  fault = failing;
  // It closes the first run as that of a process that died.
  expect((await run()).code).toBe(1);
  expect(told().map(({ event }) => event)).toEqual(['night_failed']);
  expect(await keptFiles()).toEqual([]);
  fault = undefined;
  await run();
  expect(told().map(({ event }) => event)).toEqual(['night_failed', 'night_recovered']);
});

test('where DATA_DIR cannot be written either, each try tells, and warns', async () => {
  await writeFile(join(data, 'a-file'), '');
  const nowhere = {
    DATA_DIR: join(data, 'a-file'),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
  };
  for (const _ of ['once', 'again']) {
    const { stderr } = await installation.run(nightly, { ...environment, ...nowhere });
    expect(stderr).toContain('DATA_DIR: the sent messages cannot be kept in ');
  }
  expect(told().map(({ event }) => event)).toEqual(['night_failed', 'night_failed']);
});

test('a night that is pending is bad news only when it should not be any more', async () => {
  const { night: last } = farSchedule();
  overrideAll(last, []);
  const command = `nightly --date ${last}`;
  const early = await run(command, { STATUS_GRACE_HOURS: '48', HEARTBEAT_URL: receiver.at('/alive') });
  expect({ code: early.code, told: told() }).toEqual({ code: 0, told: [] });
  expect((await run(command, { STATUS_GRACE_HOURS: '0' })).code).toBe(0);
  expect(told()).toEqual([{ event: 'night_failed', night: last, status: 'pending', run_id: 2 }]);
  overrideAll(last, undefined);
  await run(command, { STATUS_GRACE_HOURS: '0' });
  expect(told().at(-1)).toMatchObject({ event: 'night_recovered', run_id: 3 });
});

test('the heartbeat is asked after a good night, and after no other', async () => {
  const more = { NOTIFY_WEBHOOK_URL: '', HEARTBEAT_URL: receiver.at('/alive?from=usage-etl') };
  fault = failing;
  await run(nightly, more);
  expect(receiver.messages).toEqual([]);
  fault = undefined;
  await run(nightly, more);
  expect(receiver.messages).toEqual([{ method: 'GET', path: '/alive?from=usage-etl', body: undefined }]);
});

test('whoever refuses messages gets three attempts, costs a warning, and changes nothing', async () => {
  receiver.answers = 503;
  fault = failing;
  const { code, log } = await run();
  expect(code).toBe(1);
  expect(receiver.messages).toHaveLength(3);
  expect(log).toContain('NOTIFY_WEBHOOK_URL: the message was not delivered: it answered 503');
  // Nobody heard of it, so it is told at the next try, with the time of the first.
  receiver.answers = 204;
  await installation.database.pool.query("update etl.run set started_at = '2026-03-11 02:15Z'");
  await run();
  expect(told().at(-1)).toMatchObject({ event: 'night_failed', run_id: 2 });
  expect(receiver.messages.at(-1)?.body).toMatchObject({
    text: expect.stringContaining('It has failed since 2026-03-11 02:15 UTC.'),
  });
});

test('whoever never answers is given up: a good night stays one', async () => {
  receiver.answers = 'hang';
  const { code, log } = await run(nightly, { HEARTBEAT_URL: receiver.at('/alive/a-secret-token') });
  expect(code).toBe(0);
  expect(receiver.messages).toHaveLength(3);
  expect(log).toContain('HEARTBEAT_URL: the message was not delivered: no complete answer within 500 ms');
  expect(log).not.toContain('a-secret-token');
});

test('schedule tells a night once, also when its first tries could not begin', async () => {
  const { CRON_SCHEDULE, night: last } = farSchedule();
  await installation.database.pool.query('alter table etl.run rename to hidden');
  const schedule = installation.start('schedule', {
    ...environment,
    CRON_SCHEDULE,
    NIGHT_RETRY_MINUTES: '0.01',
  });
  await receiver.received(1);
  expect(told()).toEqual([{ event: 'night_failed', night: last, status: 'failed', run_id: null }]);
  expect(receiver.messages[0]?.body).toMatchObject({
    text: expect.stringMatching(
      new RegExp(`It has failed since ${minute}\\. The next try is at ${minute}\\.$`),
    ),
  });
  fault = failing;
  await installation.database.pool.query('alter table etl.hidden rename to run');
  await schedule.says('"status":"partial"');
  fault = undefined;
  await receiver.received(2);
  expect(told().slice(1)).toEqual([
    { event: 'night_recovered', night: last, status: 'succeeded', run_id: expect.any(Number) },
  ]);
  schedule.process.kill('SIGTERM');
  expect((await schedule.ended).code).toBe(0);
  const { rows } = await installation.database.pool.query<{ told: string }>(
    'select distinct told from etl.run where told is not null order by told',
  );
  expect(rows.map((row) => row.told)).toEqual(['night_failed', 'night_recovered']);
});

test('schedule tells a night once, also when a later try cannot ask what was told', async () => {
  const { CRON_SCHEDULE } = farSchedule();
  fault = failing;
  const schedule = installation.start('schedule', {
    ...environment,
    CRON_SCHEDULE,
    NIGHT_RETRY_MINUTES: '0.01',
  });
  await schedule.says('"status":"partial"');
  await installation.database.pool.query('alter table etl.run rename to hidden');
  await schedule.says('nightly could not run');
  await installation.database.pool.query('alter table etl.hidden rename to run');
  fault = undefined;
  await schedule.says('"status":"succeeded"');
  expect(told().map(({ event }) => event)).toEqual(['night_failed', 'night_recovered']);
  schedule.process.kill('SIGTERM');
  expect((await schedule.ended).code).toBe(0);
});

test('schedule tries a night that was told as failed until it can tell the recovery, also where all its days are held', async () => {
  const { CRON_SCHEDULE, night: last } = farSchedule();
  fault = failing;
  expect((await run(`nightly --date ${last}`)).code).toBe(1);
  fault = undefined;
  expect((await run(`backfill --from ${last} --to ${last}`)).code).toBe(0);
  isDown = true;
  const schedule = installation.start('schedule', {
    ...environment,
    CRON_SCHEDULE,
    NIGHT_RETRY_MINUTES: '0.01',
  });
  await schedule.says('"status":"failed"');
  isDown = false;
  await receiver.received(2);
  expect(told()).toMatchObject([
    { event: 'night_failed', night: last },
    { event: 'night_recovered', night: last, status: 'succeeded' },
  ]);
  schedule.process.kill('SIGTERM');
  expect((await schedule.ended).stderr).not.toContain('the next night asks again');
});

test('a night is told once, and once that it recovered, also where no run is kept', async () => {
  const more = { RUN_RETENTION_DAYS: '0' };
  fault = failing;
  for (const _ of ['once', 'again', 'and again']) await run(nightly, more);
  expect(told().map(({ event }) => event)).toEqual(['night_failed']);
  fault = undefined;
  await run(nightly, more);
  expect(told().map(({ event }) => event)).toEqual(['night_failed', 'night_recovered']);
});

test('an address that is none is refused, and neither it nor a file with it is shown', async () => {
  const { code, stderr } = await installation.run(nightly, {
    ...environment,
    NOTIFY_WEBHOOK_URL: 'hooks/secret',
    HEARTBEAT_URL_FILE: '/nowhere/secret',
  });
  expect(code).toBe(2);
  expect(stderr).toContain('NOTIFY_WEBHOOK_URL: expected a URL');
  expect(stderr).toContain('HEARTBEAT_URL_FILE: the file that it names cannot be read (ENOENT)');
  expect(stderr).not.toContain('secret');
});
