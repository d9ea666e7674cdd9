import { expect, test } from 'vitest';
import { loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';

const [from, to] = ['2026-01-14', '2026-01-16'];

/** Days in the archive, by organization. */
async function archivedDays({ database }: Installation): Promise<Readonly<Record<string, string[]>>> {
  const { rows } = await database.pool.query<{ org_id: string; days: string[] }>(
    `select org_id, array_agg(distinct slice_key order by slice_key) as days
     from etl.raw_slice join warehouse.dim_org using (org_key) group by org_id`,
  );
  return Object.fromEntries(rows.map(({ org_id, days }) => [org_id, days]));
}

test('the archive of an organization expires by its own runs, and that of no other with it', async () => {
  await using installation = await install({ users: 5 });
  await using other = await install({ users: 5, organizationId: 'org_other' });
  const { environment } = installation;
  // The platform of the other organization, the same warehouse.
  const inOneWarehouse = {
    environment: { ...other.environment, DATABASE_URL: environment.DATABASE_URL ?? '' },
  };
  const days = ['2026-01-14', '2026-01-15', '2026-01-16'];

  await loadInProcess(installation, `backfill --from ${from} --to ${to}`);
  await loadInProcess(inOneWarehouse, `backfill --from ${from} --to ${to}`);
  expect(await archivedDays(installation)).toEqual({ org_test: days, org_other: days });

  const kept = `nightly --date ${to}`;
  const shorter = await loadInProcess(inOneWarehouse, kept, { environment: { RAW_RETENTION_DAYS: '2' } });
  expect(shorter.code).toBe(0);
  const afterShorter = await archivedDays(installation);
  expect(afterShorter.org_test).toEqual(days);
  expect(afterShorter.org_other).not.toContain(from);

  const none = await loadInProcess(inOneWarehouse, kept, { environment: { RAW_RETENTION_DAYS: '0' } });
  expect(none.code).toBe(0);
  expect(await archivedDays(installation)).toEqual({ org_test: days });
});
