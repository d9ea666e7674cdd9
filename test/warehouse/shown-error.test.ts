/** What `bi.data_gaps` shows of an error: everything but e-mail addresses. */
import { beforeAll, expect, it } from 'vitest';
import { sharedTestDatabase } from '../support/database.ts';

const database = await sharedTestDatabase();

beforeAll(async () => {
  await database.pool.query(`
    insert into warehouse.dim_org (org_id) values ('org_test');
    insert into etl.asked_range (org_key, endpoint, first_day) values (1, 'tokens', (now() at time zone 'utc')::date - 1);
    insert into etl.slice (org_key, endpoint, slice_key, usage_date, status)
    select 1, 'tokens', day::text, day, 'failed' from (select (now() at time zone 'utc')::date - 1 as day) as yesterday`);
});

it.each([
  ['user ann@corp.example was not found', 'user … was not found'],
  ['GET /users?email=ann%40corp.example answered 500', 'GET /users?email=… answered 500'],
  ['"ann.lee%40corp.example"', '"…"'],
  ['no row came for 40% of 2026-02-03', 'no row came for 40% of 2026-02-03'],
])('%s is shown as %s', async (error, shown) => {
  await database.pool.query('update etl.slice set error = $1', [error]);
  const { rows } = await database.pool.query('select reason, error from bi.data_gaps');
  expect(rows).toEqual([{ reason: 'failed', error: shown }]);
});
