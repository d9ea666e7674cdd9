/** What others see of `schedule` from outside: health, readiness and metrics. */
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { endpoints, type Installation, type InstallationOptions, install } from '../support/installation.ts';
import { farSchedule } from '../support/nights.ts';
import type { Started } from '../support/program.ts';
import { hasPromtool, promtool, samplesOf } from '../support/promtool.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

async function installed(options?: InstallationOptions): Promise<Installation> {
  // Of so many, some are active on any day, also at a weekend.
  const installation = await install({ users: 300, busyWeekends: true, ...options });
  opened.push(installation);
  return installation;
}

interface Watched {
  readonly schedule: Started;
  get(path: string, method?: string): Promise<Response>;
  metrics(): Promise<string>;
  end(): Promise<void>;
}

/** Starts `schedule` with a port of its own. */
async function watch(
  installation: Installation,
  environment: Readonly<Record<string, string>> = {},
): Promise<Watched> {
  const schedule = installation.start('schedule', {
    METRICS_PORT: '0',
    LOG_FORMAT: 'json',
    LOOKBACK_DAYS: '0',
    CRON_SCHEDULE: farSchedule().CRON_SCHEDULE,
    ...environment,
  });
  let said = '';
  schedule.process.stderr?.on('data', (text: string) => {
    said += text;
  });
  opened.push({ [Symbol.asyncDispose]: async () => void schedule.process.kill('SIGKILL') });
  await schedule.says('health, readiness and metrics are served');
  const url = /"url":"([^"]+)"/.exec(said)?.[1];
  const get = (path: string, method = 'GET') => fetch(`${url}${path}`, { method });
  return {
    schedule,
    get,
    metrics: async () => (await get('/metrics')).text(),
    async end() {
      schedule.process.kill('SIGTERM');
      const { code, stderr } = await schedule.ended;
      expect(code).toBe(0);
      expect(stderr).not.toContain('did not end in time');
    },
  };
}

const sum = (samples: Readonly<Record<string, number>>, part = '') =>
  Object.entries(samples)
    .filter(([labels]) => labels.includes(part))
    .reduce((total, [, value]) => total + value, 0);

test('health is answered while the process lives, readiness while the database answers, and all else by 404', async () => {
  const installation = await installed();
  const watched = await watch(installation);
  expect((await watched.get('/healthz')).status).toBe(200);
  const ready = await watched.get('/readyz?verbose');
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({ ready: true });
  for (const path of ['/', '/health', '/healthz/', '/metrics/x', '//healthz'])
    expect((await watched.get(path)).status).toBe(404);
  expect((await watched.get('/healthz', 'POST')).status).toBe(404);
  expect((await watched.get('/healthz', 'HEAD')).status).toBe(200);
  await watched.end();
});

test('a database that does not answer is told within seconds, in words without an address', async () => {
  const installation = await installed();
  const proxy = await startSilentProxy(installation.database.url);
  opened.push({ [Symbol.asyncDispose]: () => proxy.close() });
  const watched = await watch(installation, { DATABASE_URL: proxy.url });
  await watched.schedule.says('waiting for the next run');
  expect((await watched.get('/readyz')).status).toBe(200);
  proxy.fallSilent();
  const answer = await watched.get('/readyz');
  expect(answer.status).toBe(503);
  const text = await answer.text();
  expect(JSON.parse(text)).toEqual({ ready: false, reason: expect.stringMatching(/database/) });
  expect(text).not.toMatch(/127\.0\.0\.1|localhost|:\d{4}|postgres:/);
  expect((await watched.get('/healthz')).status).toBe(200);
  expect(samplesOf(await watched.metrics(), 'usage_etl_database_up')).toEqual({ '': 0 });
  watched.schedule.process.kill('SIGKILL');
});

test('what the run did is counted by the names and labels that are documented', async () => {
  const installation = await installed({
    hurries: true,
    fault: ({ path }) => (path.endsWith('/tools') ? once503() : undefined),
  });
  let left = 1;
  function once503(): Fault | undefined {
    return left-- > 0 ? { kind: 'status', status: 503 } : undefined;
  }
  const watched = await watch(installation, { MAX_RETRIES: '2' });
  await watched.schedule.says('waiting for the next run');
  const text = await watched.metrics();
  const of = (name: string) => samplesOf(text, `usage_etl_${name}`);
  const labelled = (endpoint: string) => `organization="org_test",endpoint="${endpoint}"`;
  expect(of('runs_total')).toMatchObject({ '{job="nightly",status="succeeded"}': 1 });
  for (const endpoint of endpoints)
    expect(of('slices_total')[`{${labelled(endpoint)},outcome="loaded"}`]).toBeGreaterThanOrEqual(1);
  expect(of('rows_total')[`{${labelled('users')},change="read"}`]).toBeGreaterThan(0);
  expect(of('rows_total')[`{${labelled('users')},change="rejected"}`]).toBe(0);
  expect(sum(of('requests_total'))).toBe(installation.simulator.counts.requests);
  expect(of('requests_total')['{endpoint="tools",status="503"}']).toBe(1);
  expect(of('request_retries_total')['{endpoint="tools"}']).toBe(1);
  expect(of('rate_limit_wait_seconds_total')['']).toBeGreaterThanOrEqual(0);
  expect(sum(of('request_duration_seconds_count'))).toBe(installation.simulator.counts.requests);
  expect(of('load_duration_seconds_count')['']).toBeGreaterThan(0);
  expect(of('drift_total')[`{${labelled('users')},kind="unknown_field"}`]).toBe(0);
  expect(of('night_failed_tries')).toEqual({ '': 0 });
  expect(of('database_up')).toEqual({ '': 1 });
  expect(of('next_run_timestamp_seconds')['']).toBeGreaterThan(Date.now() / 1000);
  expect(Object.keys(of('build_info'))).toEqual([
    expect.stringMatching(/^\{version="\d+\.\d+\.\d+",node_version="\d+\.\d+\.\d+"\}$/),
  ]);
  const freshness = of('freshness_seconds');
  expect(Object.keys(freshness).sort()).toEqual(endpoints.map((each) => `{${labelled(each)}}`).sort());
  for (const seconds of Object.values(freshness)) expect(seconds).toBeLessThan(2 * 86_400);
  await watched.end();
});

test.skipIf(!hasPromtool)(
  'promtool finds nothing to say of the metrics, and of those of status --prometheus',
  async () => {
    const installation = await installed();
    const watched = await watch(installation);
    await watched.schedule.says('waiting for the next run');
    expect(promtool(['check', 'metrics'], await watched.metrics())).toBe('');
    await watched.end();
    const { code, stdout } = await installation.run('status --prometheus');
    expect(code).toBe(0);
    expect(promtool(['check', 'metrics'], stdout)).toBe('');
  },
);

describe('what is rejected, drifts, is refused or waits', () => {
  test('is counted', async () => {
    let throttled = 1;
    const installation = await installed({
      fault: ({ path }) =>
        path.endsWith('/users') && throttled-- > 0
          ? { kind: 'status', status: 429, headers: { 'retry-after': '1' } }
          : undefined,
    });
    const { night } = farSchedule();
    const rows = installation.dataset.rows('tokens', night);
    const surprising = rows.map((row) => ({ ...Object(row), surprise: 1 }));
    installation.dataset.overrideRows('tokens', night, surprising);
    await installation.load(`nightly --date ${night} --endpoints tools`, { LOOKBACK_DAYS: '0' });
    installation.dataset.overrideRows('tools', night, []);
    const watched = await watch(installation, { MAX_RETRIES: '3' });
    await watched.schedule.says('waiting for the next run');
    const text = await watched.metrics();
    expect(
      samplesOf(text, 'usage_etl_drift_total')[
        '{organization="org_test",endpoint="tokens",kind="unknown_field"}'
      ],
    ).toBeGreaterThan(0);
    const ofTools = 'organization="org_test",endpoint="tools"';
    expect(samplesOf(text, 'usage_etl_slices_total')[`{${ofTools},outcome="refused"}`]).toBe(1);
    expect(samplesOf(text, 'usage_etl_slices_refused')).toMatchObject({
      [`{${ofTools}}`]: 1,
      '{organization="org_test",endpoint="tokens"}': 0,
    });
    expect(sum(samplesOf(text, 'usage_etl_rate_limit_wait_seconds_total'))).toBeGreaterThanOrEqual(0.9);
    expect(sum(samplesOf(text, 'usage_etl_requests_total'), 'status="429"')).toBe(1);
    await watched.end();
  });

  test('a time-out and a broken connection are told apart from answers', async () => {
    const installation = await installed({
      fault: ({ path }) => {
        if (path.endsWith('/tools')) return { kind: 'hang' };
        return path.endsWith('/users') ? { kind: 'reset' } : undefined;
      },
    });
    const watched = await watch(installation, { REQUEST_TIMEOUT_MS: '4000', MAX_RETRIES: '0' });
    await watched.schedule.says('waiting for the next run');
    const requests = samplesOf(await watched.metrics(), 'usage_etl_requests_total');
    expect(requests['{endpoint="tools",status="timeout"}']).toBeGreaterThan(0);
    expect(requests['{endpoint="users",status="network"}']).toBeGreaterThan(0);
    await watched.end();
  });
});

test('after a restart the gauges of the ledger are right: how fresh it is, and how often the night failed', async () => {
  let fault: Fault | undefined;
  const installation = await installed({
    fault: ({ path }) => (path.endsWith('/tokens') ? fault : undefined),
  });
  const { night } = farSchedule();
  expect((await installation.load(`backfill --from ${night} --to ${night} --endpoints users`)).code).toBe(0);
  fault = { kind: 'status', status: 500 };
  for (const _ of [1, 2]) await installation.run(`nightly --date ${night}`, { LOOKBACK_DAYS: '0' });
  const tries = async (watched: Watched) =>
    samplesOf(await watched.metrics(), 'usage_etl_night_failed_tries')[''];
  // Its own first try does not come to an end.
  fault = { kind: 'hang' };
  const first = await watch(installation);
  expect(await tries(first)).toBe(2);
  expect(samplesOf(await first.metrics(), 'usage_etl_freshness_seconds')).toMatchObject({
    '{organization="org_test",endpoint="users"}': expect.closeTo(
      Date.now() / 1000 - (Date.parse(night) / 1000 + 86_400),
      -2,
    ),
  });
  first.schedule.process.kill('SIGKILL');
  await first.schedule.ended;
  fault = undefined;
  const second = await watch(installation);
  await second.schedule.says('"status":"succeeded"');
  await second.schedule.says('waiting for the next run');
  expect(await tries(second)).toBe(0);
  await second.end();
});

test('the embedded Postgres is there for whoever asks, also between two nights', async () => {
  const installation = await installed();
  const data = await mkdtemp(join(tmpdir(), 'usage-etl-watched-'));
  await chmod(data, 0o711);
  opened.push({ [Symbol.asyncDispose]: () => rm(data, { recursive: true, force: true }) });
  const watched = await watch(installation, { DATABASE_URL: '', DATA_DIR: data });
  await watched.schedule.says('waiting for the next run');
  expect((await watched.get('/readyz')).status).toBe(200);
  expect(Object.keys(samplesOf(await watched.metrics(), 'usage_etl_freshness_seconds'))).toHaveLength(
    endpoints.length,
  );
  await watched.end();
});

describe('a port that is taken', () => {
  test('is exit code 2 of schedule, by the name of the setting, and nothing to other commands', async () => {
    const installation = await installed();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    try {
      const { code, stderr } = await installation.run('schedule', { METRICS_PORT: port });
      expect(code).toBe(2);
      expect(stderr).toContain('METRICS_PORT');
      expect(installation.simulator.counts.requests).toBe(0);
      expect((await installation.run('status', { METRICS_PORT: port })).code).toBe(0);
      const { summary } = await installation.load('nightly', { METRICS_PORT: port, LOOKBACK_DAYS: '0' });
      expect(summary.status).toBe('succeeded');
    } finally {
      other.close();
    }
  });

  test.each([
    ['METRICS_PORT', '99999'],
    ['METRICS_PORT', 'http'],
    ['METRICS_HOST', '192.0.2.1'],
  ])('so is %s=%s', async (variable, value) => {
    const installation = await installed();
    const { code, stderr } = await installation.run('schedule', { METRICS_PORT: '0', [variable]: value });
    expect(code).toBe(2);
    expect(stderr).toContain(`${variable}: expected`);
  });
});

describe('status --prometheus', () => {
  test('prints the gauges and nothing else', async () => {
    const installation = await installed();
    const { night } = farSchedule();
    await installation.run(`nightly --date ${night}`, { LOOKBACK_DAYS: '0' });
    const { code, stdout } = await installation.run('status --prometheus');
    expect(code).toBe(0);
    const names = stdout.split('\n').flatMap((line) => /^# TYPE (\S+) gauge$/.exec(line)?.[1] ?? []);
    expect(names.sort()).toEqual([
      'usage_etl_build_info',
      'usage_etl_database_up',
      'usage_etl_freshness_seconds',
      'usage_etl_next_run_timestamp_seconds',
      'usage_etl_night_failed_tries',
      'usage_etl_organizations',
      'usage_etl_slices_refused',
    ]);
    expect(Object.keys(samplesOf(stdout, 'usage_etl_freshness_seconds'))).toHaveLength(endpoints.length);
    const { stdout: json } = await installation.run('status --prometheus --json');
    expect(
      JSON.parse(json)
        .metrics.map(({ name }: { name: string }) => name)
        .sort(),
    ).toEqual(names);
  });

  test('says so where the database cannot be reached', async () => {
    const installation = await installed();
    const { code, stdout, stderr } = await installation.run('status --prometheus', {
      DATABASE_URL: 'postgres://ann:secret@127.0.0.1:9/usage',
    });
    expect(code).toBe(1);
    expect(samplesOf(stdout, 'usage_etl_database_up')).toEqual({ '': 0 });
    expect(samplesOf(stdout, 'usage_etl_night_failed_tries')).toEqual({});
    expect(stderr).toContain('DATABASE_URL');
    expect(stdout + stderr).not.toContain('secret');
  });

  test('stands alone', async () => {
    const { code, stderr } = await (await installed()).run('status --prometheus --check');
    expect(code).toBe(2);
    expect(stderr).toContain('--prometheus');
  });
});
