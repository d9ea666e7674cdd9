/**
 * What the platform served while version 0.1.0, commit 970f311, filled the database whose dump is
 * `test/fixtures/warehouse-at-migration-0004.sql`: Postgres 15, `pg_dump --inserts` without its comments, and without
 * the days of `dim_date` outside the first quarter of 2026. The commands, with MAX_RETRIES=0, LOOKBACK_DAYS=0 and, for
 * the first organization, WINDOW_DAYS=1:
 *
 * 1. `backfill --from 2026-02-02 --to 2026-02-06`, while /productivity answered 500 for 2026-02-06;
 * 2. `nightly --date 2026-02-07`, under the same fault;
 * 3. `backfill --force --from 2026-02-04 --to 2026-02-05 --endpoints users`, while /users answered 500 for
 *    2026-02-04 and sent every other row of 2026-02-05 without `user_id`;
 * 4. `backfill --from 2026-02-05 --to 2026-02-06 --endpoints tokens,users` of the second organization;
 * 5. `backfill --from 2026-01-30 --to 2026-02-01`, killed while a request hung.
 */
import { day } from '../../src/model/day.ts';
import { generatedDataset, OverridableDataset } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { itemsOf, writtenAs } from './exact-json.ts';
import { changeRows } from './quirky-payloads.ts';

/** The organizations of the dump, by the names that the platform gives them. */
export const earlierOrganizations = { first: 'org_test', second: 'org_other' } as const;

/** The days of the first organization. */
export const earlierRange = { from: '2026-02-02', to: '2026-02-07' } as const;

/** What the platform serves of an organization once nothing is in its way any more. */
export function earlierDataset(organization: keyof typeof earlierOrganizations): OverridableDataset {
  const size = organization === 'first' ? { seed: 7, users: 40 } : { seed: 8, users: 3 };
  const dataset = new OverridableDataset(
    generatedDataset(createGenerator({ ...size, from: day('2026-01-14') })),
  );
  if (organization === 'second') return dataset;
  changeRows(dataset, 'users', '2026-02-03', (row, index) => {
    if (index === 0) return { ...row, hooks: -3 };
    return index === 1 ? { ...row, planet: 'Mars' } : row;
  });
  changeRows(dataset, 'tools', '2026-02-04', (row) => ({
    ...row,
    by_tool: [{ tool: 'Broken', invocations: 'lots' }, ...itemsOf(row.by_tool)],
  }));
  changeRows(dataset, 'tokens', '2026-02-05', (row) => ({
    ...row,
    billable_tokens: writtenAs('12345678901234567890.123456789'),
  }));
  dataset.overrideRows('activity', day('2026-02-03'), []);
  dataset.overrideRows('productivity', day('2026-02-07'), []);
  return dataset;
}
