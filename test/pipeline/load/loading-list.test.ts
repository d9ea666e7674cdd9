import { expect, it } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { expectWarehouseEqualsPayloads } from '../../reliability/database-condition.ts';
import { backfillInProcess } from '../../reliability/in-process-backfill.ts';
import { loadInProcess } from '../../support/commands-in-process.ts';
import { type Installation, install } from '../../support/installation.ts';
import { changeRows } from '../../support/quirky-payloads.ts';

/** One window of seven days. */
const range = { from: '2026-01-14', to: '2026-01-20' };

/** Reads the range again as a night does. */
const readAgain = (installation: Installation) =>
  loadInProcess(installation, `nightly --date ${range.to}`, { environment: { LOOKBACK_DAYS: '6' } });

it('new days of a window are loaded in one transaction, and settled in one when they come again', async () => {
  await using installation = await install({ users: 20 });
  const { database, environment } = installation;
  const moments = async (column: string) =>
    (
      await database.pool.query(
        `select endpoint, count(distinct ${column})::integer as moments from etl.slice
         where endpoint <> 'users' group by 1 order by 1`,
      )
    ).rows;
  const once = ['activity', 'productivity', 'tokens', 'tools'].map((endpoint) => ({ endpoint, moments: 1 }));
  await backfillInProcess({ ...range, environment });
  expect(await moments('loaded_at')).toEqual(once);
  const { summary } = await readAgain(installation);
  expect(summary.slices).toMatchObject({ unchanged: 35 });
  expect(await moments('fetched_at')).toEqual(once);
  const forced = await backfillInProcess({ ...range, environment, force: true });
  expect(forced.summary.slices).toMatchObject({ unchanged: 35 });
  expect(await moments('fetched_at')).toEqual(once);
  await expectWarehouseEqualsPayloads(installation, range);
});

it('a day of a window whose rows are there without a ledger row is made right, beside days that are new', async () => {
  await using installation = await install({ users: 20 });
  const { database, environment } = installation;
  await backfillInProcess({ ...range, environment });
  await database.pool.query(`
    delete from etl.slice where endpoint in ('tokens', 'tools');
    delete from warehouse.fact_tool_usage_daily where usage_date <> '2026-01-16';
    delete from warehouse.fact_tool_daily where usage_date <> '2026-01-16';
    update warehouse.fact_tool_usage_daily set invocations = invocations + 1;
    update warehouse.fact_token_daily set input_tokens = 0 where usage_date = '2026-01-15'`);
  const { summary } = await backfillInProcess({ ...range, environment });
  expect(summary).toMatchObject({ status: 'succeeded', slices: { planned: 14, loaded: 14 } });
  await expectWarehouseEqualsPayloads(installation, range);
});

it('a recognized day that the tables hold other counts of is loaded again, and no other', async () => {
  await using installation = await install({ users: 20 });
  const { database, environment } = installation;
  await backfillInProcess({ ...range, environment });
  await database.pool.query(`delete from warehouse.fact_token_user_daily where usage_date = '2026-01-16'`);
  const { summary } = await readAgain(installation);
  expect(summary.slices).toMatchObject({ loaded: 1, unchanged: 34 });
  await expectWarehouseEqualsPayloads(installation, range);
});

it('days that somebody removed from the ledger alone are loaded again, and nothing stays behind', async () => {
  await using installation = await install({ users: 20 });
  const { database, dataset, environment } = installation;
  const spoiled = day('2026-01-16');
  const [user] = dataset.rows('users', spoiled);
  dataset.overrideRows('users', spoiled, [
    ...dataset.rows('users', spoiled),
    { ...Object(user), user_id: 7 },
  ]);
  const first = await backfillInProcess({ ...range, environment });
  expect(first.summary.rows.rejected).toBe(1);
  await database.pool.query('delete from etl.slice');
  dataset.overrideRows('users', spoiled, undefined);
  const { summary } = await backfillInProcess({ ...range, environment });
  expect(summary).toMatchObject({ status: 'succeeded', slices: { planned: 35, loaded: 35, failed: 0 } });
  await expectWarehouseEqualsPayloads(installation, range);
  const { rows } = await database.pool.query(
    `select (select count(*)::integer from etl.rejected_row) as rejected,
       (select count(distinct (endpoint, slice_key))::integer from etl.raw_slice) as archived`,
  );
  expect(rows).toEqual([{ rejected: 0, archived: 35 }]);
});

it('a day that somebody removed from the ledger keeps its rows when the platform no longer lists any', async () => {
  await using installation = await install({ users: 20 });
  const { database, dataset, load } = installation;
  const emptied = day('2026-01-16');
  const oneDay = `backfill --from ${emptied} --to ${emptied} --endpoints tools,users`;
  await load(oneDay);
  const stored = async () =>
    (
      await database.pool.query(
        `select endpoint, status, row_count > 0 as has_rows, loaded_at is not null as has_time from etl.slice order by 1`,
      )
    ).rows;
  const asLoaded = ['tools', 'users'].map((endpoint) => ({
    endpoint,
    status: 'loaded',
    has_rows: true,
    has_time: true,
  }));
  for (const endpoint of ['tools', 'users']) dataset.overrideRows(endpoint, emptied, []);
  await database.pool.query('delete from etl.slice');
  const kept = await load(oneDay);
  expect(kept.summary).toMatchObject({ slices: { refused: 2, empty: 0 }, rows: { deleted: 0 } });
  expect(await stored()).toEqual(asLoaded);
  const { summary } = await load(`${oneDay} --force --allow-empty`);
  expect(summary.rows.deleted).toBeGreaterThan(20);
  // Other endpoints were never asked, so that it is not believed yet.
  expect(await stored()).toMatchObject(
    ['tools', 'users'].map((endpoint) => ({ endpoint, status: 'pending' })),
  );
  const { rows } = await database.pool.query(
    `select (select count(*) from warehouse.fact_user_daily) + (select count(*) from warehouse.fact_tool_daily)
       + (select count(*) from etl.raw_slice) as left`,
  );
  expect(rows).toEqual([{ left: '0' }]);
});

it('a day that somebody removed from the ledger may lose most of its rows, also beside one that may not', async () => {
  await using installation = await install({ users: 80 });
  const { database, dataset, environment } = installation;
  await backfillInProcess({ ...range, environment });
  const [removed, shrunk] = ['2026-01-15', '2026-01-16'];
  for (const each of [removed, shrunk])
    changeRows(dataset, 'tokens', each, (row) => ({ ...row, by_user: [] }));
  await database.pool.query(`delete from etl.slice where endpoint = 'tokens' and slice_key = $1`, [removed]);
  const { summary } = await readAgain(installation);
  expect(summary).toMatchObject({ status: 'succeeded', slices: { loaded: 1, unchanged: 33, refused: 1 } });
  const { rows } = await database.pool.query(
    `select slice_key, status, last_error like 'the answer would delete %' as refused,
       (table_rows ->> 'fact_token_user_daily')::integer > 0 as holds_users
     from etl.slice where endpoint = 'tokens' and slice_key in ($1, $2) order by 1`,
    [removed, shrunk],
  );
  expect(rows).toEqual([
    { slice_key: removed, status: 'loaded', refused: null, holds_users: false },
    { slice_key: shrunk, status: 'loaded', refused: true, holds_users: true },
  ]);
});
