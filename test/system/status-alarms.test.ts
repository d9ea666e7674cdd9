/** `status` for those who are woken by it: when yesterday counts as missing, and when figures are too old. */
import { beforeAll, expect, test } from 'vitest';
import { runLockInSql } from '../../src/warehouse/locks/run-locks.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { sharedInstallation } from '../support/installation.ts';

const installation = await sharedInstallation({ users: 5 });

beforeAll(async () => {
  await loadInProcess(installation, 'backfill --from 2026-03-01 --to 2026-03-08');
});

/** The exit code and the error of `status` at a moment, UTC. */
async function statusAt(moment: string, options: string, environment: Record<string, string> = {}) {
  const clock = () => Date.parse(moment);
  return await commandInProcess(installation, `status ${options}`, { clock, environment });
}

test.each([
  ['2026-03-10T05:59Z', {}, 0],
  ['2026-03-10T06:00Z', {}, 1],
  ['2026-03-10T06:00Z', { STATUS_GRACE_HOURS: '6.5' }, 0],
  ['2026-03-10T00:00Z', { STATUS_GRACE_HOURS: '0' }, 1],
  ['2026-03-11T00:00Z', { STATUS_GRACE_HOURS: '48' }, 1],
])('at %s with %j, where 2026-03-09 is missing, --check ends with %i', async (moment, environment, code) => {
  expect(await statusAt(moment, '--check', environment)).toMatchObject({
    code,
    json: { complete: code === 0 },
  });
});

test('a day that failed or is pending is not asked about either before it is time', async () => {
  const { pool } = installation.database;
  await pool.query(
    `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status)
     select 1, endpoint, '2026-03-09', '2026-03-09', case endpoint when 'users' then 'failed' else 'pending' end
     from unnest(array['tokens', 'tools', 'activity', 'productivity', 'users']) as endpoint`,
  );
  try {
    expect((await statusAt('2026-03-10T05:59Z', '--check')).code).toBe(0);
    expect((await statusAt('2026-03-10T06:00Z', '--check')).code).toBe(1);
    await pool.query("update etl.slice set status = 'pending' where usage_date = '2026-03-09'");
    expect((await statusAt('2026-03-10T06:00Z', '--check')).code).toBe(1);
    // By then it is an older day, which is reported and no failure.
    expect((await statusAt('2026-03-11T05:00Z', '--check')).code).toBe(0);
  } finally {
    await pool.query("delete from etl.slice where usage_date = '2026-03-09'");
  }
});

test.each([
  ['2026-03-10T02:00Z', '26', 0],
  ['2026-03-10T02:00Z', '25.9', 1],
  ['2026-03-10T02:00Z', '0', 1],
])(
  'at %s, figures until the end of 2026-03-08 and at most %s hours old end with %i',
  async (moment, hours, code) => {
    expect((await statusAt(moment, `--max-age ${hours}`)).code).toBe(code);
  },
);

test('a load whose process died is told as dead, one whose process lives as running', async () => {
  const { pool } = installation.database;
  const opened = await pool.query<{ run_id: string }>(
    `insert into etl.run (job, status, app_version, org_key, started_at)
     values ('nightly', 'running', 'test', 1, now()) returning run_id`,
  );
  const runId = opened.rows[0]?.run_id;
  const process = await pool.connect();
  try {
    await process.query(`select pg_advisory_lock(${runLockInSql('$1::bigint')})`, [runId]);
    const living = await installation.run('status');
    expect(living.stdout).toMatch(new RegExp(`^Last load: ${runId}, nightly, .*: running$`, 'm'));
    process.release(true);
    await expect
      .poll(async () => (await installation.run('status')).stdout)
      .toMatch(
        new RegExp(
          `^Last load: ${runId}, nightly, .*: died \\(no process holds it any more\\); the next nightly closes it$`,
          'm',
        ),
      );
    expect(await commandInProcess(installation, 'status')).toMatchObject({
      json: { last_load: { run_id: Number(runId), status: 'running', died: true } },
    });
  } finally {
    await pool.query('delete from etl.run where run_id = $1', [runId]);
  }
});

test('loads that could not ask the platform are one line, with the time of the first', async () => {
  const { pool } = installation.database;
  await pool.query(
    `insert into etl.run (job, status, app_version, started_at, finished_at, error)
     select 'nightly', 'failed', 'test', time, time, 'the platform answered 503'
     from unnest(array['2026-03-09 02:15Z', '2026-03-10 02:15Z']::timestamptz[]) as time`,
  );
  const { stdout } = await installation.run('status');
  expect(stdout.match(/^Last load.*$/gm)).toEqual([
    expect.stringMatching(
      /^Last load: \d+, nightly, 2026-03-10 02:15 UTC: failed: the platform answered 503; it ended before it knew its organization, as all since 2026-03-09 02:15 UTC$/,
    ),
  ]);
});

test('gaps make no figures old, and one endpoint is enough', async () => {
  const { pool } = installation.database;
  await pool.query("delete from etl.slice where usage_date = '2026-03-05'");
  expect((await statusAt('2026-03-09T02:00Z', '--max-age 30')).code).toBe(0);
  expect((await statusAt('2026-03-09T02:00Z', '--max-age 30 --check')).code).toBe(1);
  await pool.query("delete from etl.slice where usage_date = '2026-03-08' and endpoint = 'tools'");
  expect((await statusAt('2026-03-09T06:00Z', '--max-age 29.5')).code).toBe(1);
  const { stdout } = await installation.run('status --json --max-age 1');
  expect(JSON.parse(stdout)).toMatchObject({
    error: expect.stringMatching(/^older than 1 hours: org_test: tokens by [\d.]+ hours, tools by /),
  });
});

test.each(['-1', 'soon', '1e3'])('--max-age %s is refused', async (hours) => {
  const { code, stderr } = await installation.run(`status --max-age=${hours}`);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('--max-age: expected a number of hours'),
  });
});
