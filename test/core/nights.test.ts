/** `schedule` as a program: what it does at start, when a night is not whole, and when it is told to end. */
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { endpoints, type Installation, install } from '../support/installation.ts';
import { farSchedule } from '../support/nights.ts';
import type { Started } from '../support/program.ts';

/** Tries again at once, and reads no other day than the night's. */
const quickly = { NIGHT_RETRY_MINUTES: '0.01', LOOKBACK_DAYS: '0', LOG_FORMAT: 'json' };

/** Ends it by SIGTERM; it must do so by itself, and not because somebody lost patience. */
async function end(schedule: Started): Promise<void> {
  schedule.process.kill('SIGTERM');
  const { code, stderr } = await schedule.ended;
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('did not end in time'),
  });
}

/** The endpoints that were asked, without the question whose data it is, which comes first. */
function askedSince({ simulator }: Installation, first: number): string[] {
  const asked = simulator.requests.slice(first + 1).map(({ path }) => path.split('/').at(-1) ?? '');
  return [...new Set(asked)].filter((name) => (endpoints as readonly string[]).includes(name)).sort();
}

async function statuses({ database }: Installation, night: string): Promise<unknown> {
  const { rows } = await database.pool.query<{ endpoint: string; status: string }>(
    'select endpoint, status from etl.slice where usage_date = $1 order by endpoint',
    [night],
  );
  return Object.fromEntries(rows.map(({ endpoint, status }) => [endpoint, status]));
}

/** The night is yesterday's, whatever day of the week that is. */
const populated = { busyWeekends: true };
const allLoaded = Object.fromEntries(endpoints.map((endpoint) => [endpoint, 'loaded']));

test('a night that was missed is loaded at start, and again only as far as it failed', async () => {
  let fault: Fault | undefined = { kind: 'status', status: 500 };
  await using installation = await install({
    ...populated,
    fault: ({ path }) => (path.endsWith('/tokens') ? fault : undefined),
  });
  const { CRON_SCHEDULE, night } = farSchedule();
  const schedule = installation.start('schedule', { ...quickly, CRON_SCHEDULE });
  await schedule.says('"status":"partial"');
  expect(askedSince(installation, 0)).toEqual([...endpoints].sort());
  const first = installation.simulator.requests.length;
  fault = undefined;
  await schedule.says('"status":"succeeded"');
  expect(askedSince(installation, first)).toEqual(['tokens']);
  expect(await statuses(installation, night)).toEqual(allLoaded);
  await schedule.says('waiting for the next run');
  await end(schedule);
});

test('a night of which something is pending is tried again, for that alone', async () => {
  await using installation = await install(populated);
  const { CRON_SCHEDULE, night } = farSchedule();
  installation.dataset.overrideRows('tools', night, []);
  const schedule = installation.start('schedule', { ...quickly, CRON_SCHEDULE, STATUS_GRACE_HOURS: '48' });
  await schedule.says('"pending":1');
  const first = installation.simulator.requests.length;
  installation.dataset.overrideRows('tools', night, undefined);
  await schedule.says('"loaded":1');
  expect(askedSince(installation, first)).toEqual(['tools']);
  expect(await statuses(installation, night)).toEqual(allLoaded);
  await end(schedule);
});

test('a refused credential is named, and tried again with what its file holds then', async () => {
  await using installation = await install(populated);
  const file = join(tmpdir(), `usage-etl-nights-${process.pid}`);
  await writeFile(file, 'a-key-that-is-refused');
  try {
    const { CRON_SCHEDULE } = farSchedule();
    const environment = { ...quickly, CRON_SCHEDULE, API_KEY: '', API_KEY_FILE: file };
    const schedule = installation.start('schedule', environment);
    await schedule.says('put it into API_KEY_FILE (');
    await writeFile(file, installation.environment.API_KEY ?? '');
    await schedule.says('"status":"succeeded"');
    await end(schedule);
  } finally {
    await rm(file, { force: true });
  }
});

test('a night that is whole is not loaded again at start: one request shows whether the credential is good', async () => {
  let fault: Fault | undefined;
  await using installation = await install({ ...populated, fault: () => fault });
  const { CRON_SCHEDULE, night } = farSchedule();
  await installation.load(`nightly --date ${night}`, { LOOKBACK_DAYS: '0' });
  const first = installation.simulator.requests.length;
  const schedule = installation.start('schedule', { ...quickly, CRON_SCHEDULE });
  await schedule.says('waiting for the next run');
  expect(installation.simulator.requests.slice(first)).toHaveLength(1);
  await end(schedule);

  const refused = installation.start('schedule', { ...quickly, CRON_SCHEDULE, API_KEY: 'another-key' });
  await refused.says('waiting for the next run');
  await end(refused);
  expect((await refused.ended).stderr).toContain('API_KEY: requests to the platform fail with this setting');
  expect(installation.simulator.requests.slice(first)).toHaveLength(2);

  fault = { kind: 'status', status: 503 };
  const unanswered = installation.start('schedule', { ...quickly, CRON_SCHEDULE });
  await unanswered.says('waiting for the next run');
  await end(unanswered);
  const { stderr } = await unanswered.ended;
  expect(stderr).toContain('the platform answers HTTP 503 now; no setting needs to change');
  expect(stderr).not.toContain('API_BASE_URL');
});

test('a night of which an answer was refused is whole at start: it waits for a person, not for another try', async () => {
  await using installation = await install(populated);
  const { CRON_SCHEDULE, night } = farSchedule();
  const once = { LOOKBACK_DAYS: '0' };
  await installation.load(`nightly --date ${night}`, once);
  installation.dataset.overrideRows('tokens', night, []);
  expect((await installation.load(`nightly --date ${night}`, once)).summary.slices.refused).toBe(1);
  const first = installation.simulator.requests.length;
  const schedule = installation.start('schedule', { ...quickly, CRON_SCHEDULE });
  await schedule.says('waiting for the next run');
  await end(schedule);
  expect(installation.simulator.requests.slice(first)).toHaveLength(1);
});

test('a database that lacks its tables is named at start, and the night is loaded when they are there', async () => {
  await using installation = await install(populated);
  const empty = await createEmptyDatabase();
  try {
    const { CRON_SCHEDULE, night } = farSchedule();
    const environment = { ...quickly, CRON_SCHEDULE, DATABASE_URL: empty.url };
    const schedule = installation.start('schedule', environment);
    await schedule.says('migrate` first');
    const migrated = await installation.run('migrate', { DATABASE_URL: empty.url });
    expect(migrated.code).toBe(0);
    await schedule.says('"status":"succeeded"');
    expect(await statuses({ ...installation, database: empty }, night)).toEqual(allLoaded);
    await end(schedule);
  } finally {
    await empty.drop();
  }
});

test('a database that cannot be reached is named at start, and does not end the schedule', async () => {
  await using installation = await install(populated);
  const { CRON_SCHEDULE } = farSchedule();
  // Port 1 is nobody's.
  const environment = { ...quickly, CRON_SCHEDULE, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
  const schedule = installation.start('schedule', environment);
  await schedule.says('DATABASE_URL: the database cannot be reached now');
  await schedule.says('waiting for the next run');
  await end(schedule);
  expect((await schedule.ended).stderr).toContain('the database cannot be used, so no night can be loaded');
  expect(installation.simulator.requests.length).toBeGreaterThan(0);
});

test('SIGTERM in the middle of a night ends both: what is under way is recorded as ended', async () => {
  await using installation = await install({
    ...populated,
    fault: ({ path }) => (path.endsWith('/users') ? { kind: 'hang' } : undefined),
  });
  const { CRON_SCHEDULE } = farSchedule();
  const schedule = installation.start('schedule', { ...quickly, CRON_SCHEDULE, LOG_LEVEL: 'debug' });
  await schedule.says('slice loaded');
  await end(schedule);
  const { rows } = await installation.database.pool.query('select status, error from etl.run');
  expect(rows).toEqual([{ status: 'partial', error: 'interrupted by SIGTERM' }]);
});
