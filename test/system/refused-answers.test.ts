/** Who sees that an answer was refused, how often, and until when. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { many } from '../support/answered-days.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { driftRows, sliceRow } from '../support/ledger-rows.ts';
import { type MessageReceiver, startMessageReceiver } from '../support/nights.ts';

const shrunkDay = day('2026-03-08');
const nights = ['2026-03-10', '2026-03-11', '2026-03-12'];
/** A morning after the last of these nights. */
const clock = () => Date.parse('2026-03-13T08:00Z');

let receiver: MessageReceiver;
let installation: Installation;
let fault: Fault | undefined;
let faultyEndpoint: 'tools' | 'users';
let environment: Record<string, string>;

beforeEach(async () => {
  fault = undefined;
  faultyEndpoint = 'tools';
  receiver = await startMessageReceiver();
  installation = await install({
    users: 5,
    fault: ({ path }) => (path.endsWith(`/${faultyEndpoint}`) ? fault : undefined),
  });
  environment = { LOOKBACK_DAYS: '2', NOTIFY_WEBHOOK_URL: receiver.at('/chat') };
  serveUsers(60);
  await load(`backfill --from ${shrunkDay} --to 2026-03-09`);
});

afterEach(async () => {
  await receiver.close();
  await installation[Symbol.asyncDispose]();
});

/** So many users of the day from now on. */
function serveUsers(count: number): void {
  const rows = many(count, (index) => ({ date: shrunkDay, user_id: `user_${index}`, sessions: 1 }));
  installation.dataset.overrideRows('users', shrunkDay, rows);
}

const load = (commandLine: string, more: Readonly<Record<string, string>> = {}) =>
  loadInProcess(installation, commandLine, { environment: { ...environment, ...more } });
const nightly = (night: string | undefined, more?: Readonly<Record<string, string>>) =>
  load(`nightly --date ${night}`, more);
const sanitizeWith = `backfill --from ${shrunkDay} --to ${shrunkDay} --endpoints users --force --allow-empty`;
const status = (options: string) => commandInProcess(installation, `status ${options}`, { clock });
const slice = () => sliceRow(installation.database.pool, 'users', shrunkDay);
/** What the webhook was told, without what differs from run to run. */
const told = () =>
  receiver.messages.map(({ body }) => body).map((body) => ({ ...Object(body), run_id: undefined }));

/** What is said of the refused day where people and programs look. */
async function seen() {
  const { code, json } = await status('--check');
  const { pool } = installation.database;
  const { rows: views } = await pool.query(
    `select endpoint, days_refused::int, days_loaded > 0 as has_days,
       (select count(*)::int from bi.data_gaps as gap where gap.endpoint = f.endpoint and usage_date = $1) as gaps
     from bi.data_freshness as f where days_refused > 0`,
    [shrunkDay],
  );
  const gauges = await commandInProcess(installation, 'status --prometheus', { clock });
  return { code, json, views, gauge: refusedGauge(gauges.json) };
}

function refusedGauge(json: unknown): unknown {
  const found: unknown = Object(json).metrics.find(
    ({ name }: { readonly name: string }) => name === 'usage_etl_slices_refused',
  );
  return Object(found).values;
}

const gaugeOf = (users: number) =>
  ['activity', 'productivity', 'tokens', 'tools', 'users'].map((endpoint) => ({
    labels: { organization: 'org_test', endpoint },
    value: endpoint === 'users' ? users : 0,
  }));

test('a refusal is seen for three nights, told once, and settled by --force --allow-empty', async () => {
  const before = await slice();
  serveUsers(5);
  for (const night of nights) {
    const { code, summary } = await nightly(night);
    expect({ code, ...summary }).toMatchObject({
      code: 0,
      status: 'succeeded',
      refused: [
        { endpoint: 'users', slice_key: shrunkDay, table: 'fact_user_daily', held: 60, would_hold: 5 },
      ],
    });
    const { planned = 0, refused, ...others } = summary.slices;
    expect(refused).toBe(1);
    expect(Object.values(others).reduce((sum, count) => sum + count, 0)).toBe(planned - 1);
  }
  expect(told()).toEqual([
    {
      event: 'night_failed',
      night: nights[0],
      status: 'succeeded',
      text: expect.stringContaining(`users ${shrunkDay}`),
    },
  ]);
  expect(await slice()).toMatchObject({
    status: 'loaded',
    error: null,
    source_hash: before?.source_hash,
    last_error: expect.stringContaining('MAX_DELETED_SHARE'),
    refused_at: (await slice())?.last_failed_at,
  });
  expect(await driftRows(installation.database.pool, 'users', 'shrunk')).toHaveLength(1);
  expect(await seen()).toMatchObject({
    code: 1,
    json: {
      complete: false,
      organizations: [
        {
          complete: false,
          endpoints: [
            ...many(4, () => ({ days_refused: 0, refused: [] })),
            { endpoint: 'users', days_refused: 1, refused: [shrunkDay], gaps: [], failed: [], pending: [] },
          ],
        },
      ],
    },
    views: [{ endpoint: 'users', days_refused: 1, has_days: true, gaps: 0 }],
    gauge: gaugeOf(1),
  });

  expect((await load(sanitizeWith)).summary).toMatchObject({
    slices: { loaded: 1, refused: 0 },
    rows: { deleted: 55 },
  });
  expect(await slice()).toMatchObject({ refused_at: null, refusal_told_at: null, last_error: null });
  expect(await seen()).toMatchObject({ code: 0, json: { complete: true }, views: [], gauge: gaugeOf(0) });
  expect((await nightly('2026-03-13')).summary.refused).toBeUndefined();
  expect(receiver.messages).toHaveLength(1);
});

test('a refusal that the platform takes back is settled, and the next one is told again', async () => {
  serveUsers(5);
  await nightly(nights[0]);
  serveUsers(60);
  expect((await nightly(nights[1])).summary).toMatchObject({ slices: { refused: 0 }, rows: { deleted: 0 } });
  expect(await seen()).toMatchObject({ views: [], gauge: gaugeOf(0) });
  serveUsers(6);
  const again = { LOOKBACK_DAYS: '4' };
  await nightly(nights[2], again);
  await nightly(nights[2], again);
  expect(told()).toMatchObject([{ night: nights[0] }, { night: nights[2], event: 'night_failed' }]);
});

test('a reading that fails after a refusal leaves the decision open, and so does replay', async () => {
  serveUsers(5);
  await nightly(nights[0]);
  const { refused_at } = (await slice()) ?? {};
  faultyEndpoint = 'users';
  fault = { kind: 'status', status: 500 };
  expect(await load(sanitizeWith)).toMatchObject({ code: 1, summary: { slices: { failed: 1, refused: 0 } } });
  expect(await slice()).toMatchObject({ refused_at, last_error: expect.stringContaining('500') });
  fault = undefined;
  expect((await load('replay --endpoints users')).summary).toMatchObject({
    slices: { failed: 0, refused: 0 },
  });
  expect(await slice()).toMatchObject({ refused_at });
  expect(await seen()).toMatchObject({ code: 1, views: [{ days_refused: 1 }], gauge: gaugeOf(1) });
  expect((await load(sanitizeWith)).summary.slices).toMatchObject({ loaded: 1 });
  expect(await slice()).toMatchObject({ refused_at: null });
});

describe('the message of a night', () => {
  test('that failed names what was refused, too, and the next ones do not', async () => {
    serveUsers(5);
    fault = { kind: 'status', status: 500 };
    expect((await nightly(nights[0])).code).toBe(1);
    expect((await nightly(nights[1])).code).toBe(1);
    fault = undefined;
    expect((await nightly(nights[1])).code).toBe(0);
    expect((await nightly(nights[2])).code).toBe(0);
    expect(told()).toMatchObject([
      { event: 'night_failed', night: nights[0], status: 'partial' },
      { event: 'night_failed', night: nights[1], status: 'partial' },
      { event: 'night_recovered', night: nights[1], status: 'succeeded' },
    ]);
    const naming = told().map(({ text }) => String(text).includes(`users ${shrunkDay}`));
    expect(naming).toEqual([true, false, false]);
  });

  test('that recovered names what the first good try refused', async () => {
    fault = { kind: 'status', status: 500 };
    await nightly(nights[0]);
    fault = undefined;
    serveUsers(5);
    await nightly(nights[0]);
    expect(told()).toMatchObject([
      { event: 'night_failed', text: expect.not.stringContaining('refused') },
      { event: 'night_recovered', text: expect.stringContaining(`users ${shrunkDay}`) },
    ]);
  });

  test('that was not delivered is made up for by the next night, also for what a backfill met', async () => {
    serveUsers(5);
    await load(`backfill --from ${shrunkDay} --to ${shrunkDay} --endpoints users --force`);
    await nightly(nights[0], { NOTIFY_WEBHOOK_URL: '' });
    receiver.answers = 400;
    await nightly(nights[1]);
    const attempts = receiver.messages.length;
    expect(attempts).toBeGreaterThan(0);
    receiver.answers = 200;
    await nightly(nights[2]);
    await nightly('2026-03-13');
    expect(told().slice(attempts)).toMatchObject([
      { night: nights[2], text: expect.stringContaining(`users ${shrunkDay}`) },
    ]);
  });
});

test('a night that only refused is whole: its failed tries are none, and the heartbeat is asked', async () => {
  serveUsers(5);
  await nightly(nights[0], { HEARTBEAT_URL: receiver.at('/alive'), NOTIFY_WEBHOOK_URL: '' });
  expect(receiver.messages).toEqual([{ method: 'GET', path: '/alive', body: undefined }]);
});

test('a refusal beside a failure is a partial run', async () => {
  serveUsers(5);
  fault = { kind: 'status', status: 500 };
  const { code, summary } = await load(
    `backfill --from ${shrunkDay} --to ${shrunkDay} --endpoints users,tools --force`,
  );
  expect({ code, ...summary }).toMatchObject({
    code: 1,
    status: 'partial',
    slices: { planned: 2, refused: 1, failed: 1, loaded: 0, unchanged: 0 },
  });
});

test('what people read names the refused day, and the command that lets it through', async () => {
  serveUsers(5);
  const run = await installation.run(`nightly --date ${nights[0]}`, { LOOKBACK_DAYS: '2' });
  expect(run.code).toBe(0);
  expect(run.stdout).toMatch(
    new RegExp(`Refused:\n  users ${shrunkDay}: the answer would delete 55 of the 60`),
  );
  expect(run.stdout).toContain(sanitizeWith);
  const { stdout } = await installation.run('status');
  expect(stdout).toContain(`users was refused for ${shrunkDay}`);
  expect(stdout).toContain(sanitizeWith);
});
