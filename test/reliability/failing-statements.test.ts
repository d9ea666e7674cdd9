import { expect, test } from 'vitest';
import { install } from '../support/installation.ts';
import { expectWarehouseEqualsPayloads } from './database-condition.ts';
import { backfillInProcess } from './in-process-backfill.ts';

const range = { from: '2026-01-14', to: '2026-01-20' };
const failingDay = '2026-01-17';

const fullDisk = `
  create function public.fail() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: no space left on device' using errcode = '53100'; end $$;
  create trigger fail before insert or update on warehouse.fact_hook_daily
    for each row when (new.usage_date = '${failingDay}') execute function public.fail()`;

test('a full disk fails its slice only, of which nothing is half-loaded', async () => {
  await using installation = await install({ users: 400 });
  const { pool } = installation.database;
  await pool.query(fullDisk);
  const { environment } = installation;
  const report = await backfillInProcess({ ...range, environment });
  expect(report.summary).toMatchObject({ status: 'partial', slices: { loaded: 34, failed: 1 } });
  expect(report.stoppedBy).toBeUndefined();
  const reason =
    'the disk of the database server is full; make room there, then run the job again (the embedded Postgres uses the disk of DATA_DIR): could not extend file: no space left on device';
  expect(report.failures).toEqual([
    { endpoint: 'tools', key: failingDay, reason: expect.stringContaining(reason) },
  ]);
  const { rows } = await pool.query<Record<string, number>>(
    ['fact_tool_daily', 'fact_tool_usage_daily', 'fact_mcp_server_daily', 'fact_autonomy_level_daily']
      .map(
        (table) =>
          `select count(*)::integer as rows from warehouse.${table} where usage_date = '${failingDay}'`,
      )
      .join(' union all '),
  );
  expect(rows.every((row) => row.rows === 0)).toBe(true);
  await pool.query('drop function public.fail() cascade');
  const repair = await backfillInProcess({ ...range, environment });
  expect(repair.summary).toMatchObject({ status: 'succeeded', slices: { planned: 1, loaded: 1 } });
  await expectWarehouseEqualsPayloads(installation, range);
});

test('a full disk in the middle of a long COPY fails that slice only', async () => {
  await using installation = await install({ users: 6_000 });
  const { pool } = installation.database;
  await pool.query(
    `create sequence public.rows_seen;
     create function public.fail() returns trigger language plpgsql as $$
       begin
         if nextval('public.rows_seen') > 1500 then
           raise exception 'no space left on device' using errcode = '53100';
         end if;
         return new;
       end $$;
     create trigger fail before insert on warehouse.fact_token_user_model_daily
       for each row execute function public.fail()`,
  );
  const days = { from: '2026-01-19', to: '2026-01-20' };
  const { environment } = installation;
  const report = await backfillInProcess({ ...days, environment });
  expect(report.failures.map(({ endpoint }) => endpoint)).toEqual(['tokens', 'tokens']);
  expect(report.summary).toMatchObject({ status: 'partial', slices: { loaded: 8, failed: 2 } });
  await pool.query('drop function public.fail() cascade');
  await backfillInProcess({ ...days, environment });
  await expectWarehouseEqualsPayloads(installation, days);
});
