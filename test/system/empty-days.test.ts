import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { endpoints, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-16'];
const middle = day('2026-01-15');

test('a day that was loaded with rows keeps them when it comes without any, until --allow-empty says otherwise', async () => {
  await using installation = await install({ users: 30 });
  const { database, dataset, load, payloads } = installation;
  const statusesOfMiddle = async () =>
    (
      await database.pool.query<{ status: string }>(
        'select distinct status from etl.slice where usage_date = $1',
        [middle],
      )
    ).rows.map(({ status }) => status);
  const before = payloads(from, to);
  await load(`backfill --from ${from} --to ${to}`);

  for (const endpoint of endpoints) dataset.overrideRows(endpoint, middle, []);
  const kept = await load(`nightly --date ${to}`);
  expect(kept).toMatchObject({
    code: 0,
    summary: {
      status: 'succeeded',
      slices: { planned: 15, refused: 5, unchanged: 10, empty: 0, failed: 0 },
    },
  });
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, before));
  expect(await statusesOfMiddle()).toEqual(['loaded']);
  const { rows: drift } = await database.pool.query(
    "select endpoint from etl.drift where kind = 'shrunk' and path = 'data' and example = $1 order by 1",
    [middle],
  );
  expect(drift.map(({ endpoint }) => endpoint)).toEqual([...endpoints].sort());
  const refused = `select count(*)::integer as slices from etl.slice
    where usage_date = $1 and last_failed_at is not null and refused_at is not null and last_error ~ 'reports no rows' and error is null`;
  expect((await database.pool.query(refused, [middle])).rows).toEqual([{ slices: 5 }]);

  const forced = await load(`backfill --from ${middle} --to ${middle} --force`);
  expect(forced.code).toBe(0);
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, before));

  const emptied = await load(`backfill --from ${middle} --to ${middle} --force --allow-empty`);
  expect(emptied.code).toBe(0);
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads(from, to)));
  expect(await statusesOfMiddle()).toEqual(['empty']);
  expect((await database.pool.query(refused, [middle])).rows).toEqual([{ slices: 0 }]);
});
