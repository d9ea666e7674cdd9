/** Expired rows are deleted in batches, each by itself, and nobody else waits or is disturbed. */
import { expect, test } from 'vitest';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { lockOrganization } from '../../src/warehouse/locks/organization-lock.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { from, installLoaded, none, plant, rowsOf, to } from '../support/expired-rows.ts';
import { install } from '../support/installation.ts';
import { readTuples } from '../support/written-tuples.ts';

test('more than a batch goes in parts, each of which stays gone when a later one fails', async () => {
  await using installation = await installLoaded();
  await installation.database.pool.query(`
    insert into etl.rejected_row (org_key, endpoint, slice_key, reason, rejected_at)
    select 1, 'users', '2026-01-14', 'old', now() - interval '500 days' from generate_series(1, 2500);
    create function public.refuse() returns trigger language plpgsql as $$
      begin raise exception 'this one stays'; end $$;
    create trigger refuse before delete on etl.rejected_row
      for each row when (old.rejected_row_id = 2500) execute function public.refuse()`);
  const count = 'select count(*)::int from etl.rejected_row';
  const failed = await installation.run('maintenance --json');
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({ error: expect.stringContaining('this one stays') });
  expect(await rowsOf(installation, count)).toEqual([[500]]);

  await installation.database.pool.query('drop trigger refuse on etl.rejected_row');
  const { json } = await commandInProcess(installation, 'maintenance');
  expect(json).toEqual({ organizations_left: 0, deleted: { ...none, rejected_rows: 500 } });
});

test('however many batches it goes in, what expires is found by reading each table once', async () => {
  await using installation = await install({ users: 5 });
  const { pool } = installation.database;
  expect((await loadInProcess(installation, `backfill --from ${from} --to ${to}`)).code).toBe(0);
  const count = 4_000;
  // Those that stay lie before those that go, where each batch would meet them again.
  await pool.query(`
    insert into etl.run (job, status, started_at, org_key)
    select 'nightly', 'succeeded', now() - (number <= ${count} and number % 2 = 0)::integer * interval '1 day'
      - (number > ${count})::integer * interval '500 days', 1
    from generate_series(1, 2 * ${count}) as number;
    insert into etl.rejected_row (org_key, endpoint, slice_key, reason, rejected_at)
    select 1, 'users', '2026-01-14', 'old', now() - (number > ${count})::integer * interval '500 days'
    from generate_series(1, 2 * ${count}) as number;
    insert into etl.drift (org_key, endpoint, path, kind, last_seen_at)
    select 1, 'users', 'planet ' || number, 'unknown_field', now() - (number > ${count})::integer * interval '500 days'
    from generate_series(1, 2 * ${count}) as number;
    insert into etl.check_result (org_key, check_name, verdict, checked_at)
    select 1, 'one', 'ok', now() - (number > ${count})::integer * interval '500 days'
    from generate_series(1, 2 * ${count}) as number;
    insert into etl.slice (org_key, endpoint, slice_key, status, usage_date, fetched_at)
    select 1, 'users', 'day ' || number, 'loaded', day, day
    from generate_series(1, 2 * ${count}) as number,
      lateral (select current_date - (number > ${count})::integer * 500) as placed (day);
    insert into etl.raw_slice (org_key, endpoint, slice_key, chunk, usage_date, row_count, payload, raw_bytes)
    select org_key, endpoint, slice_key, chunk, usage_date, 1, '', 2
    from etl.slice, generate_series(0, 1) as chunk
    where slice_key like 'day %'
    order by slice.ctid, chunk;
    -- With statistics of an empty table two of its indexes look alike.
    analyze etl.slice`);
  const before = await readTuples(pool);
  const { json } = await commandInProcess(installation, 'maintenance', {
    environment: { RAW_RETENTION_DAYS: '400' },
  });
  expect(json).toEqual({
    organizations_left: 0,
    deleted: { runs: count, rejected_rows: count, drift: count, check_results: count, raw_slices: 2 * count },
  });
  const after = await readTuples(pool);
  const timesRead = (table: string, rows: number) => ((after[table] ?? 0) - (before[table] ?? 0)) / rows;
  // To see whether there is any, to find it, to delete it by its key.
  const times = {
    raw_slice: timesRead('raw_slice', 4 * count),
    rejected_row: timesRead('rejected_row', 2 * count),
    drift: timesRead('drift', 2 * count),
    check_result: timesRead('check_result', 2 * count),
    run: timesRead('run', 2 * count),
  };
  expect(Math.max(...Object.values(times)), JSON.stringify(times)).toBeLessThan(4);
  // Each batch of runs asks which of them a day without rows still needs.
  expect(timesRead('slice', 2 * count)).toBeLessThan(7);
});

test('a row that somebody holds is left for the next time, and nobody waits for it', async () => {
  await using installation = await installLoaded();
  for (const daysOld of [501, 500, 1]) await plant(installation, 'nightly', daysOld);
  await installation.database.pool.query("update etl.drift set run_id = null where path = 'planet 500'");
  const holder = await installation.database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query("select from etl.drift where path = 'planet 500' for update");
    const { json } = await commandInProcess(installation, 'maintenance');
    expect(json).toEqual({
      organizations_left: 0,
      deleted: { ...none, runs: 2, rejected_rows: 2, drift: 1, check_results: 2 },
    });
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  const { json } = await commandInProcess(installation, 'maintenance');
  expect(json).toEqual({ organizations_left: 0, deleted: { ...none, drift: 1 } });
});

test('maintenance leaves an organization that another run works on, and says so', async () => {
  await using installation = await installLoaded();
  await plant(installation, 'nightly', 500);
  const pool = openPool(installation.database.url, 1);
  try {
    await withSession(pool, async ({ client }) => {
      expect(await lockOrganization(client, 1)).toBe(true);
      const { code, stdout } = await installation.run('maintenance --json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ organizations_left: 1, deleted: none });
    });
  } finally {
    await pool.end();
  }
  expect(await rowsOf(installation, 'select count(*)::int from etl.drift')).toEqual([[1]]);
});
