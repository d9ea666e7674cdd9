import { expect, it } from 'vitest';
import { expectWarehouseEqualsPayloads } from '../reliability/database-condition.ts';
import { backfillInProcess } from '../reliability/in-process-backfill.ts';
import { install } from '../support/installation.ts';

/** One window of seven days. */
const range = { from: '2026-01-14', to: '2026-01-20' };

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
  const { summary } = await backfillInProcess({ ...range, environment, force: true });
  expect(summary.slices).toMatchObject({ unchanged: 35 });
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
  const { summary } = await backfillInProcess({ ...range, environment, force: true });
  expect(summary.slices).toMatchObject({ loaded: 1, unchanged: 34 });
  await expectWarehouseEqualsPayloads(installation, range);
});

it('no fact is read as a whole, however many days are loaded', async () => {
  await using installation = await install({ users: 20 });
  const { database } = installation;
  const { code } = await installation.run('backfill --from 2026-01-14 --to 2026-03-31');
  expect(code).toBe(0);
  // Figures of a session are complete when it has ended.
  await expect
    .poll(async () => {
      const { rows } = await database.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'usage-etl'`,
      );
      return rows.length;
    })
    .toBe(0);
  const { rows } = await database.pool.query(
    `select relname, seq_scan::integer from pg_stat_user_tables
     where schemaname = 'warehouse' and relname like 'fact%' and seq_scan > 0`,
  );
  expect(rows).toEqual([]);
});
