import { afterEach, beforeEach, expect, test } from 'vitest';
import { farSchedule, type MessageReceiver, startMessageReceiver } from '../support/nights.ts';
import { samplesOf } from '../support/promtool.ts';
import { installOrganizations, type Organizations } from '../support/queue-installation.ts';

const { CRON_SCHEDULE, night } = farSchedule();
const nights = { CRON_SCHEDULE, LOOKBACK_DAYS: '0', NIGHT_RETRY_MINUTES: '0.02' };

let receiver: MessageReceiver;
let organizations: Organizations;
let told: Record<string, string>;

beforeEach(async () => {
  receiver = await startMessageReceiver();
  organizations = await installOrganizations(3, { hurries: true, users: 300 });
  told = { ...nights, NOTIFY_WEBHOOK_URL: receiver.at('/hook'), HEARTBEAT_URL: receiver.at('/beat') };
});

afterEach(async () => {
  await organizations[Symbol.asyncDispose]();
  await receiver.close();
});

const events = () =>
  receiver.messages.map(({ body }) => Object(body)).filter(({ event }) => event !== undefined);

test('it orders the night, tells once what failed and once that all is whole, and asks for the heartbeat', async () => {
  const [first] = organizations.all;
  if (first === undefined) throw new Error('expected organizations');
  first.fault = ({ path }) => (path.endsWith('/tokens') ? { kind: 'status', status: 500 } : undefined);
  const scheduler = organizations.start('schedule --enqueue', told);
  await scheduler.says('ordered the night');
  await organizations.work();
  await expect.poll(events).toMatchObject([
    {
      event: 'night_failed',
      night,
      organizations: [{ name: 'acme-0', status: 'partial' }],
      text: expect.stringContaining('acme-0'),
    },
  ]);
  const tries = async () =>
    (
      await organizations.database.pool.query(
        "select from etl.run where arguments ->> 'organization' = 'acme-0'",
      )
    ).rowCount;
  await expect.poll(tries).toBeGreaterThan(2);
  expect(events()).toHaveLength(1);
  first.fault = () => undefined;
  await expect.poll(events).toMatchObject([{ event: 'night_failed' }, { event: 'night_recovered', night }]);
  await expect
    .poll(() => receiver.messages.filter(({ body }) => Object(body).event === undefined))
    .toHaveLength(1);
  // The others were good at once, and were not ordered again.
  const { rows } = await organizations.database.pool.query(
    "select count(*)::integer as runs from etl.run where arguments ->> 'organization' <> 'acme-0'",
  );
  expect(rows).toEqual([{ runs: 2 }]);
  scheduler.process.kill('SIGTERM');
  expect(await scheduler.ended).toMatchObject({ code: 0 });
});

test('two of them order and tell once, and the second goes on when the first has ended', async () => {
  const [first] = organizations.all;
  if (first === undefined) throw new Error('expected organizations');
  first.fault = () => ({ kind: 'status', status: 403 });
  const one = organizations.start('schedule --enqueue', told);
  await one.says('ordered the night');
  const other = organizations.start('schedule --enqueue', told);
  await other.says('keeping nights for workers');
  await organizations.work();
  await expect
    .poll(events)
    .toMatchObject([{ event: 'night_failed', text: expect.stringContaining('acme-0') }]);
  const recorded = async () =>
    (await organizations.database.pool.query("select from etl.run where told = 'night_failed'")).rowCount;
  await expect.poll(recorded).toBe(1);
  one.process.kill('SIGKILL');
  await one.ended;
  await other.says('ordered the night');
  first.fault = () => undefined;
  await expect.poll(events).toMatchObject([{ event: 'night_failed' }, { event: 'night_recovered' }]);
  other.process.kill('SIGTERM');
  expect(await other.ended).toMatchObject({ code: 0 });
});

test('worker and schedule --enqueue serve the metrics of the queue', async () => {
  await organizations.order(`nightly --date ${night}`);
  const said = async (command: string) => {
    const started = organizations.start(command, { ...nights, METRICS_PORT: '0', LOG_FORMAT: 'json' });
    let lines = '';
    started.process.stderr?.on('data', (text: string) => {
      lines += text;
    });
    await started.says('health, readiness and metrics are served');
    const url = /"url":"([^"]+)"/.exec(lines)?.[1];
    return async (name: string) =>
      samplesOf(await (await fetch(`${url}/metrics`)).text(), `usage_etl_${name}`);
  };
  const worker = await said('worker');
  await expect
    .poll(() => worker('jobs_total'))
    .toMatchObject({ '{task="nightly",outcome="done"}': 3, '{task="backfill",outcome="done"}': 0 });
  await organizations.database.pool.query(
    "select etl_queue.add_job('somebody else''s', run_at := now() - interval '2 hours')",
  );
  const scheduler = await said('schedule --enqueue');
  for (const metrics of [worker, scheduler]) {
    expect(await metrics('queue_jobs')).toEqual({
      '{state="due"}': 1,
      '{state="waiting"}': 0,
      '{state="running"}': 0,
      '{state="failed"}': 0,
    });
    expect(await metrics('queue_oldest_due_seconds')).toEqual({ '': expect.closeTo(7200, -2) });
  }
});
