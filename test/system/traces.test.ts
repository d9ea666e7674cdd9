/** Traces of runs, as a collector reads them. */
import { afterEach, describe, expect, test } from 'vitest';
import { defaultTiming } from '../../src/model/timing.ts';
import { type Installation, type InstallationOptions, install } from '../support/installation.ts';
import { farSchedule } from '../support/nights.ts';
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from '../support/otlp-collector.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
});

async function installed(options?: InstallationOptions): Promise<Installation> {
  const installation = await install({ users: 10, ...options });
  opened.push(installation);
  return installation;
}

async function collecting(...answer: Parameters<typeof startOtlpCollector>): Promise<OtlpCollector> {
  const collector = await startOtlpCollector(...answer);
  opened.push({ [Symbol.asyncDispose]: () => collector.close() });
  return collector;
}

const named = (spans: readonly CollectedSpan[], name: string) =>
  spans.filter((span) => span.name === `usage_etl.${name}`);

/** What must be so of the spans of one run, whatever it did. Returns the run's own. */
function expectTree(spans: readonly CollectedSpan[]): CollectedSpan {
  const [run, ...others] = named(spans, 'run');
  if (run === undefined) throw new Error('expected the span of a run');
  expect(others).toEqual([]);
  expect(run.parentSpanId).toBe('');
  const slices = named(spans, 'slice');
  const ids = new Set(slices.map(({ spanId }) => spanId));
  expect(ids.size).toBe(slices.length);
  for (const slice of slices) expect(slice.parentSpanId).toBe(run.spanId);
  for (const span of [...named(spans, 'request'), ...named(spans, 'load')]) {
    const isForOne = ids.has(span.parentSpanId);
    if (!isForOne) expect(span.parentSpanId).toBe(run.spanId);
    // One slice is the parent, and is not linked; several are linked.
    if (isForOne) expect(span.links).toEqual([]);
    else expect(span.links.length).not.toBe(1);
    for (const link of span.links) expect(ids).toContain(link.spanId);
  }
  const parents = new Map(spans.map((span) => [span.spanId, span]));
  for (const span of spans) {
    expect(span.traceId).toBe(run.traceId);
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    const parent = parents.get(span.parentSpanId);
    if (parent === undefined) continue;
    expect(span.start).toBeGreaterThanOrEqual(parent.start);
    expect(span.end).toBeLessThanOrEqual(parent.end);
  }
  return run;
}

describe('a run', () => {
  test('is a tree of spans: the run, its planned slices, every attempt and every load', async () => {
    const { load, simulator } = await installed();
    const collector = await collecting();
    const { summary, code } = await load('backfill --from 2026-02-01 --to 2026-02-20', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'etl-of-tests',
    });
    expect(code).toBe(0);
    const run = expectTree(collector.spans);
    expect(run.attributes).toMatchObject({ 'usage_etl.job': 'backfill', 'usage_etl.run_id': summary.run_id });
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'etl-of-tests' });

    const slices = named(collector.spans, 'slice');
    // The list of computers, which this platform does not have, was planned, too.
    const outcomes = Object.groupBy(slices, ({ attributes }) => String(attributes['usage_etl.outcome']));
    expect(outcomes.loaded).toHaveLength(summary.slices.loaded);
    expect(outcomes.unavailable).toHaveLength(1);
    expect(slices).toHaveLength(summary.slices.planned + 1);
    expect(slices.map(({ attributes }) => attributes['usage_etl.slice_key'])).toContain('2026-02-07');

    const requests = named(collector.spans, 'request');
    expect(requests).toHaveLength(summary.requests.sent);
    expect(requests).toHaveLength(simulator.counts.requests);
    for (const { kind, attributes } of requests) {
      expect(kind).toBe('SPAN_KIND_CLIENT');
      expect(attributes).toMatchObject({ 'http.request.method': 'GET', 'http.request.resend_count': 0 });
      expect(attributes['url.path']).toMatch(/^\/api\/v\d\/[a-z/_-]+$/);
    }
    // Windows of days are for several slices, pages of users for one.
    const ofUsers = requests.filter(({ attributes }) => attributes['usage_etl.endpoint'] === 'users');
    expect(ofUsers.length).toBeGreaterThanOrEqual(20);
    for (const request of ofUsers) expect(request.parentSpanId).not.toBe(run.spanId);
    expect(requests.some(({ links }) => links.length > 1)).toBe(true);

    const loads = named(collector.spans, 'load');
    const loaded = loads.flatMap((each) =>
      each.links.length > 0 ? each.links.map(({ spanId }) => spanId) : [each.parentSpanId],
    );
    expect(loaded.sort()).toEqual((outcomes.loaded ?? []).map(({ spanId }) => spanId).sort());
  });

  test('tells attempts that failed and were repeated, and slices that failed', async () => {
    let refusals = 2;
    const { load } = await installed({
      hurries: true,
      fault: ({ path, days }) => {
        if (path.endsWith('/tools')) return { kind: 'status', status: 500 };
        if (path.endsWith('/users') && days?.from === '2026-02-02' && refusals-- > 0)
          return { kind: 'status', status: 503 };
        return undefined;
      },
    });
    const collector = await collecting();
    const { summary } = await load('backfill --from 2026-02-01 --to 2026-02-03 --endpoints users,tools', {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      MAX_RETRIES: '2',
    });
    expect(summary.status).toBe('partial');
    const run = expectTree(collector.spans);
    expect(run.hasFailed).toBe(true);
    const failed = named(collector.spans, 'slice').filter(
      ({ attributes }) => attributes['usage_etl.outcome'] === 'failed',
    );
    expect(failed).toHaveLength(summary.slices.failed);
    expect(failed.every(({ hasFailed }) => hasFailed)).toBe(true);
    const attempts = named(collector.spans, 'request');
    expect(attempts).toHaveLength(summary.requests.sent);
    const day = named(collector.spans, 'slice').find(
      ({ attributes }) =>
        attributes['usage_etl.endpoint'] === 'users' && attributes['usage_etl.slice_key'] === '2026-02-02',
    );
    const ofDay = attempts
      .filter(({ parentSpanId }) => parentSpanId === day?.spanId)
      .map(({ attributes, hasFailed }) => [
        attributes['http.response.status_code'],
        attributes['http.request.resend_count'],
        hasFailed,
      ]);
    expect(ofDay).toEqual(
      expect.arrayContaining([
        [503, 0, true],
        [503, 1, true],
        [200, 2, false],
      ]),
    );
  });

  test('that is stopped has a span for each slice that it did not come to', async () => {
    const { load } = await installed({
      fault: ({ path }) => (path.endsWith('/users') ? { kind: 'status', status: 401 } : undefined),
    });
    const collector = await collecting();
    const { summary, code } = await load('backfill --from 2026-02-01 --to 2026-02-28', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    expect(code).toBe(3);
    expectTree(collector.spans);
    const slices = named(collector.spans, 'slice');
    expect(slices.length).toBeGreaterThanOrEqual(summary.slices.planned);
    expect(slices.map(({ attributes }) => attributes['usage_etl.outcome'])).toContain('unfinished');
  });

  test('names no user, no e-mail and no secret', async () => {
    const installation = await installed();
    const collector = await collecting();
    await installation.load('backfill --from 2026-02-01 --to 2026-02-03', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    const { rows } = await installation.database.pool.query<{ user_id: string; email: string | null }>(
      'select user_id, user_email as email from warehouse.dim_user',
    );
    expect(rows.length).toBeGreaterThan(0);
    const sent = collector.bodies.join('\n');
    for (const { user_id: id, email } of rows) {
      expect(sent).not.toContain(id);
      if (email !== null) expect(sent).not.toContain(email);
    }
    expect(sent).not.toContain('@');
    expect(sent).not.toContain(installation.environment.API_KEY);
    const { password } = new URL(installation.database.url);
    if (password !== '') expect(sent).not.toContain(password);
  });
});

test('a load of more than 128 slices links to all of them', async () => {
  const { load } = await installed({ users: 1 });
  const collector = await collecting();
  await load('backfill --from 2026-01-14 --to 2026-10-31 --endpoints tokens', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    WINDOW_DAYS: '366',
  });
  expectTree(collector.spans);
  const most = Math.max(...collector.spans.map(({ links }) => links.length));
  expect(most).toBeGreaterThan(128);
});

test('a run that asks the platform for nothing is traced, too', async () => {
  const { run } = await installed();
  const collector = await collecting();
  const { code } = await run('maintenance', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(code).toBe(0);
  expect(expectTree(collector.spans).attributes).toMatchObject({ 'usage_etl.job': 'maintenance' });
});

test('schedule traces each of its runs', async () => {
  const { start } = await installed();
  const collector = await collecting();
  const schedule = start('schedule', {
    CRON_SCHEDULE: '* * * * * *',
    LOOKBACK_DAYS: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  await schedule.says('nightly ended');
  schedule.process.kill('SIGTERM');
  expect((await schedule.ended).code).toBe(0);
  const runs = named(collector.spans, 'run');
  expect(runs.length).toBeGreaterThan(0);
  const [first] = runs;
  expect(first?.attributes).toMatchObject({ 'usage_etl.job': 'nightly' });
  expectTree(collector.spans.filter(({ traceId }) => traceId === first?.traceId));
});

const troubles: [string, Parameters<typeof startOtlpCollector>][] = [
  ['never answers', [() => undefined]],
  ['answers a little at a time, and never ends', [(response) => void drip(response)]],
  ['is overloaded', [(response) => response.writeHead(503, { 'retry-after': '3' }).end()]],
  ['refuses what it gets', [(response) => response.writeHead(400).end('not you, ann@example.com')]],
];

function drip(response: import('node:http').ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 100);
  response.once('close', () => clearInterval(timer));
}

describe('a collector that', () => {
  test('is in trouble may cost 10 s at the end of a run, and 2 s where somebody waits for it', () => {
    const { tracesDeliveryMs, tracesAtEndMs, tracesAfterSignalMs } = defaultTiming;
    expect(Math.max(tracesDeliveryMs, tracesAtEndMs)).toBeLessThanOrEqual(10_000);
    expect(tracesAfterSignalMs).toBeLessThanOrEqual(2_000);
  });

  test.each(troubles)('%s costs at most 15 s, and changes nothing', async (_, answer) => {
    const { start } = await installed({ hurries: true });
    const collector = await collecting(...answer);
    const backfill = start('backfill --from 2026-02-01 --to 2026-02-01', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      LOG_FORMAT: 'json',
    });
    await backfill.prints();
    const printedAt = Date.now();
    const { code, stdout, stderr } = await backfill.ended;
    expect(Date.now() - printedAt).toBeLessThan(15_000);
    expect(code).toBe(0);
    expect(stdout).toMatch(/succeeded/);
    expect(stderr).not.toContain('ann@example.com');
    expect(collector.spans).not.toEqual([]);
  });

  test('never answers does not keep schedule from ending when it is told to', async () => {
    const { start } = await installed({ hurries: true });
    const collector = await collecting(() => undefined);
    const schedule = start('schedule', {
      CRON_SCHEDULE: farSchedule().CRON_SCHEDULE,
      LOOKBACK_DAYS: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    await schedule.says('waiting for the next run');
    schedule.process.kill('SIGTERM');
    const { code, stderr } = await schedule.ended;
    expect(code).toBe(0);
    expect(stderr).not.toContain('did not end in time');
    expect(collector.spans).not.toEqual([]);
  });

  test('is not there is told, by the name of the setting', async () => {
    const { load } = await installed({ hurries: true });
    const { code, stderr } = await load('backfill --from 2026-02-01 --to 2026-02-01', {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    });
    expect(code).toBe(0);
    expect(stderr).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
    expect(stderr).toContain('ECONNREFUSED');
  });
});

test.each([
  'collector',
  'ftp://127.0.0.1',
  'http://ann:secret@127.0.0.1:4318',
  'http://127.0.0.1:4318/?key=1',
])('the address %j is refused before anything is done, and not shown', async (address) => {
  const { run } = await installed();
  const { code, stderr } = await run('backfill', { OTEL_EXPORTER_OTLP_ENDPOINT: address });
  expect(code).toBe(2);
  expect(stderr).toContain('OTEL_EXPORTER_OTLP_ENDPOINT: expected');
  expect(stderr).not.toContain('secret');
});
