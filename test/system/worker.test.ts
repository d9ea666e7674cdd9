import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installOrganizations } from '../support/organizations.ts';

const month = '--from 2026-01-14 --to 2026-02-03';

test('a worker does what was ordered, and ends with 0 after SIGTERM', async () => {
  await using organizations = await installOrganizations(2);
  const { database } = organizations;
  expect(await organizations.order(`backfill ${month}`)).toEqual({ enqueued: 4, already_queued: 0 });
  expect(await organizations.order(`backfill ${month}`)).toEqual({ enqueued: 0, already_queued: 4 });
  expect((await organizations.jobs()).map(({ key }) => key)).toEqual([
    'backfill acme-0 2026-01 all',
    'backfill acme-0 2026-02 all',
    'backfill acme-1 2026-01 all',
    'backfill acme-1 2026-02 all',
  ]);
  const worker = await organizations.work();
  await expect.poll(() => organizations.jobs()).toEqual([]);
  worker.process.kill('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code, stderr).toBe(0);
  const { rows } = await database.pool.query(
    `select org.org_id, count(*)::integer as slices
    from etl.slice join warehouse.dim_org as org using (org_key) where usage_date is not null group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { org_id: 'org_0', slices: 105 },
    { org_id: 'org_1', slices: 105 },
  ]);
  const { rows: runs } = await database.pool.query(
    'select status, count(*)::integer as runs from etl.run group by 1 order by 1',
  );
  expect(runs).toEqual([{ status: 'succeeded', runs: 4 }]);
  const { rows: asked } = await database.pool.query('select distinct first_day::text from etl.asked_range');
  expect(asked).toEqual([{ first_day: '2026-01-14' }]);
  console.log(stderr);
});
