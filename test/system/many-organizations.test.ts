/** What the program says of many organizations stays short, and asks for one cost what one costs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, install } from '../support/installation.ts';
import { farSchedule } from '../support/nights.ts';
import { samplesOf } from '../support/promtool.ts';

const [first, second] = ['2026-11-01', '2026-11-02'];
let installation: Installation;

beforeAll(async () => {
  installation = await install({ users: 0 });
  const { pool } = installation.database;
  await pool.query(
    `insert into warehouse.dim_org (org_id) select 'org_' || n from generate_series(1, 30) as n`,
  );
  await pool.query(
    `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status)
     select org_key, endpoint, day::date::text, day::date, case when org_key = 5 and day::date = $2 then 'failed' else 'loaded' end
     from warehouse.dim_org, unnest(array['tokens', 'tools', 'activity', 'productivity', 'users']) as endpoint,
       generate_series($1::date, $2::date, interval '1 day') as day
     where org_key <= 28 and (org_key <> 3 or day::date = $1)`,
    [first, second],
  );
  await pool.query(
    `insert into etl.run (job, status, arguments, org_key, finished_at)
     select 'nightly', 'succeeded', jsonb_build_object('date', $1::text), org_key, now() from warehouse.dim_org`,
    [second],
  );
});

afterAll(() => installation[Symbol.asyncDispose]());

test('status has a line for each, those that lack most first', async () => {
  const { stdout } = await installation.run(`status --from ${first} --to ${second}`);
  const lines = stdout.split('\n');
  expect(lines[0]).toBe('30 organizations: 26 complete, 4 incomplete');
  expect(lines.slice(2, 6).map((line) => line.split(/ +/).slice(0, 4))).toEqual([
    ['org_29', 'incomplete', '–', '10'],
    ['org_30', 'incomplete', '–', '10'],
    ['org_3', 'incomplete', first, '5'],
    ['org_5', 'incomplete', first, '0'],
  ]);
});

test('status --check names ten that are not complete, and how many more', async () => {
  const { code, stdout } = await installation.run('status --check --json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout).error).toMatch(/incomplete: (org_\d+, ){9}org_\d+ and 20 more/);
});

test('a report of more than twenty is refused', async () => {
  const { code, stderr } = await installation.run('report --out many.html');
  expect(code).toBe(2);
  expect(stderr).toContain(
    'report: expected at most 20 organizations, got 30; choose some with --organization',
  );
});

test('with more organizations than METRICS_ORGANIZATIONS, metrics tell of the stalest, and count the others', async () => {
  const schedule = installation.start('schedule', {
    METRICS_PORT: '0',
    METRICS_ORGANIZATIONS: '4',
    LOG_FORMAT: 'json',
    CRON_SCHEDULE: farSchedule().CRON_SCHEDULE,
  });
  let said = '';
  schedule.process.stderr?.on('data', (text: string) => {
    said += text;
  });
  try {
    await schedule.says('health, readiness and metrics are served');
    const url = /"url":"([^"]+)"/.exec(said)?.[1];
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).not.toMatch(/usage_etl_(slices|rows|drift)_total\{[^}]*organization/);
    expect(text).toMatch(/usage_etl_slices_total\{endpoint="users",outcome="loaded"\} \d/);
    const fresh = Object.keys(samplesOf(text, 'usage_etl_freshness_seconds')).map(
      (labels) => /organization="([^"]+)"/.exec(labels)?.[1],
    );
    expect([...new Set(fresh)].sort()).toEqual(['org_1', 'org_10', 'org_3', 'org_5']);
    const states = [...text.matchAll(/usage_etl_organizations\{state="(\w+)"\} (\d+)/g)].map(
      ([, ...of]) => of,
    );
    expect(states).toEqual([
      ['whole', '26'],
      ['pending', '0'],
      ['failed', '2'],
      ['never', '2'],
    ]);
  } finally {
    schedule.process.kill('SIGTERM');
    await schedule.ended;
  }
});
