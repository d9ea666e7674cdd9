/** What is deleted when it is older than it has to be kept, and what never is. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/model/clock.ts';
import { addDays, addMonths, day, daysBetween, today } from '../../src/model/day.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { from, installLoaded, none, plant, rowsOf, to } from '../support/expired-rows.ts';
import { type Installation, install } from '../support/installation.ts';

/** Keeps the last of the three days. */
const keepsOneDay = { RAW_RETENTION_DAYS: String(daysBetween(day(to), today(systemClock))) };

/** What must stay as it is, all of it but which run it came from. */
function lasting(installation: Installation): Promise<unknown[][]> {
  return rowsOf(
    installation,
    `select 'slice', to_jsonb(s) - 'run_id' - 'raw_chunks' - 'raw_rows' from etl.slice as s
     union all select 'limit', to_jsonb(c) from etl.credit_limit_change as c
     union all select 'users', to_jsonb(u) from warehouse.fact_user_daily as u
     union all select 'tokens', to_jsonb(t) from warehouse.fact_token_daily as t
     union all select 'labels', to_jsonb(d) from warehouse.dim_user as d
     order by 1, 2`,
  );
}

const days = (installation: Installation) =>
  rowsOf(installation, 'select distinct slice_key from etl.raw_slice order by 1');

describe('maintenance', () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await installLoaded();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  test('deletes what is older than its retention, says how much, and leaves the rest', async () => {
    for (const daysOld of [500, 401, 399]) await plant(installation, 'nightly', daysOld);
    const before = await lasting(installation);
    const first = await installation.run('maintenance --json');
    expect(first).toMatchObject({ code: 0 });
    expect(JSON.parse(first.stdout)).toEqual({
      organizations_left: 0,
      deleted: { runs: 2, rejected_rows: 2, drift: 2, check_results: 2, raw_slices: 0 },
    });
    expect(await lasting(installation)).toEqual(before);
    expect(await rowsOf(installation, 'select path from etl.drift')).toEqual([['planet 399']]);
    const { stdout } = await installation.run('maintenance');
    expect(stdout).toContain(
      'Deleted: 0 runs, 0 rejected rows, 0 kinds of drift, 0 results of checks, 0 parts of the raw archive.',
    );
  });

  test('keeps each thing as long as its own variable says', async () => {
    for (const daysOld of [50, 20]) await plant(installation, 'nightly', daysOld);
    const { json } = await commandInProcess(installation, 'maintenance', {
      environment: { RUN_RETENTION_DAYS: '30' },
    });
    expect(json).toEqual({ organizations_left: 0, deleted: { ...none, runs: 2, check_results: 2 } });
    const after = await commandInProcess(installation, 'maintenance', {
      environment: { REJECTED_RETENTION_DAYS: '10' },
    });
    expect(after.json).toEqual({ organizations_left: 0, deleted: { ...none, rejected_rows: 3, drift: 3 } });
  });

  test('keeps the newest run of each job, and one that has not ended, however old', async () => {
    await installation.database.pool.query(`
      insert into etl.run (job, status, started_at, org_key) values
        ('verify', 'succeeded', now() - interval '3 years', null),
        ('verify', 'succeeded', now() - interval '2 years', null),
        ('replay', 'failed', now() - interval '3 years', 1),
        ('replay', 'failed', now() - interval '2 years', 1),
        ('backfill', 'succeeded', now() - interval '2 years', null)`);
    const { json } = await commandInProcess(installation, 'maintenance');
    expect(json).toMatchObject({ deleted: { runs: 3 } });
    const old = "select job, status from etl.run where started_at < now() - interval '400 days' order by 1";
    expect(await rowsOf(installation, old)).toEqual([
      ['replay', 'failed'],
      ['verify', 'succeeded'],
    ]);
  });

  test('leaves a slice as it is whose run goes, and names no run for it any more', async () => {
    const state = 'select count(*)::int, count(run_id)::int from etl.slice where status = $$loaded$$';
    expect(await rowsOf(installation, state)).toEqual([[15, 15]]);
    await installation.database.pool.query(
      "update etl.run set started_at = now() - interval '500 days' where job = 'backfill'",
    );
    await loadInProcess(installation, `backfill --from ${from} --to ${to} --endpoints users`);
    await commandInProcess(installation, 'maintenance');
    expect(await rowsOf(installation, state)).toEqual([[15, 0]]);
    const again = await loadInProcess(installation, `backfill --from ${from} --to ${to}`);
    expect(again.summary.slices).toMatchObject({ planned: 0 });
    expect((await installation.run(`status --check --to ${to}`)).code).toBe(0);
  });

  test('keeps the runs that a day without rows still needs to be believed', async () => {
    await installation.database.pool.query(`
      with asked as (
        insert into etl.run (job, status, started_at, org_key)
        select 'nightly', 'succeeded', now() - n * interval '1 day', 1 from generate_series(500, 501) as n
        returning run_id
      )
      insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, answered_empty_by)
      select 1, 'tokens', '2026-01-20', '2026-01-20', 'pending', array_agg(run_id) from asked`);
    await plant(installation, 'nightly', 502);
    await plant(installation, 'nightly', 1);
    const { json } = await commandInProcess(installation, 'maintenance');
    expect(json).toMatchObject({ deleted: { runs: 1 } });
    expect(
      await rowsOf(
        installation,
        `select count(*)::int from etl.slice join etl.run on run.run_id = any(answered_empty_by)`,
      ),
    ).toEqual([[2]]);
  });

  test('deletes the archive by day, with what the ledger says of it', async () => {
    const { json } = await commandInProcess(installation, 'maintenance', { environment: keepsOneDay });
    expect(json).toEqual({ organizations_left: 0, deleted: { ...none, raw_slices: 10 } });
    expect(await days(installation)).toEqual([[to]]);
    expect(
      await rowsOf(
        installation,
        'select distinct slice_key from etl.slice where raw_chunks is not null or raw_rows is not null',
      ),
    ).toEqual([[to]]);
  });

  test('keeps as many months of the archive as --archive-months says', async () => {
    const months = (first: string) => {
      let count = 0;
      while (addMonths(today(systemClock), -count) > first) count += 1;
      return count;
    };
    const kept = await commandInProcess(installation, `maintenance --archive-months ${months(to)}`);
    expect(kept).toEqual({ code: 0, json: { organizations_left: 0, deleted: none } });
    const fewer = addDays(day(to), 1);
    const gone = await commandInProcess(installation, `maintenance --archive-months ${months(fewer) - 1}`);
    expect(gone).toEqual({ code: 0, json: { organizations_left: 0, deleted: { ...none, raw_slices: 5 } } });
    expect(await days(installation)).toEqual([]);
  });

  test.each(['-1', '1.5', 'all', '1201'])('refuses %s months', async (months) => {
    const { code, stderr } = await installation.run(`maintenance --archive-months=${months}`);
    expect(code).toBe(2);
    expect(stderr).toContain('--archive-months: expected a whole number from 0 to 1200');
  });
});

test('RAW_RETENTION_DAYS=0 and --archive-months 0 keep no archive, also of what was read today', async () => {
  await using installation = await installLoaded();
  const plantToday = `insert into etl.raw_slice (org_key, endpoint, slice_key, chunk, usage_date, row_count, payload, raw_bytes)
    values (1, 'computers', 'today', 0, now()::date, 0, '', 0), (1, 'readiness', 'all', 0, null, 0, '', 0)`;
  await installation.database.pool.query(plantToday);
  const environment = { RAW_RETENTION_DAYS: '0' };
  const { json } = await commandInProcess(installation, 'maintenance', { environment });
  expect(json).toEqual({ organizations_left: 0, deleted: { ...none, raw_slices: 17 } });
  await installation.database.pool.query(plantToday);
  const zero = await commandInProcess(installation, 'maintenance --archive-months 0');
  expect(zero.json).toEqual({ organizations_left: 0, deleted: { ...none, raw_slices: 2 } });
});

test('whatever the ledger says of runs names none when the run goes', async () => {
  await using installation = await install();
  expect(
    await rowsOf(
      installation,
      `select conrelid::regclass::text, confdeltype from pg_constraint
       where contype = 'f' and confrelid = 'etl.run'::regclass order by 1`,
    ),
  ).toEqual(
    ['check_result', 'drift', 'raw_slice', 'rejected_row', 'slice'].map((table) => [`etl.${table}`, 'n']),
  );
});

describe('a night', () => {
  test('ends with maintenance of its own organization, and of what belongs to none', async () => {
    await using installation = await installLoaded();
    const { pool } = installation.database;
    for (const daysOld of [500, 1]) await plant(installation, 'nightly', daysOld);
    await pool.query(`
      insert into warehouse.dim_org (org_id) values ('org_other');
      insert into etl.rejected_row (org_key, endpoint, reason, rejected_at) values
        (2, 'users', 'of another', now() - interval '500 days'), (null, 'users', 'of none', now() - interval '500 days');`);
    const night = await installation.load(`nightly --date ${to}`, {
      RAW_RETENTION_DAYS: '1',
      LOOKBACK_DAYS: '0',
    });
    expect(night).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
    expect(night.stderr).toContain('removed what was older than it has to be kept');
    expect(await days(installation)).toEqual([[to]]);
    expect(await rowsOf(installation, 'select path from etl.drift')).toEqual([['planet 1']]);
    const left = "select reason from etl.rejected_row where rejected_at < now() - interval '400 days'";
    expect(await rowsOf(installation, left)).toEqual([['of another']]);
  });

  test('succeeds with a warning where maintenance fails', async () => {
    await using installation = await installLoaded();
    for (const daysOld of [500, 1]) await plant(installation, 'nightly', daysOld);
    await installation.database.pool.query(`
      create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'no deleting here'; end $$;
      create trigger refuse before delete on etl.drift for each row execute function public.refuse()`);
    const night = await installation.load(`nightly --date ${to}`);
    expect(night).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
    const warning = night.stderr.split('\n').find((line) => line.includes('could not be removed'));
    expect(JSON.parse(warning ?? '')).toMatchObject({
      level: 'warn',
      reason: expect.stringContaining('no deleting here'),
    });
  });

  test('leaves everything to the next one where it did not come to its end', async () => {
    await using installation = await installLoaded();
    for (const daysOld of [500, 1]) await plant(installation, 'nightly', daysOld);
    const refused = await installation.run(`nightly --date ${to}`, { API_KEY: 'wrong' });
    expect(refused.code).toBe(3);
    expect(await rowsOf(installation, 'select count(*)::int from etl.drift')).toEqual([[2]]);
  });
});
