import { describe, expect, it } from 'vitest';
import { withSession } from '../../../src/warehouse/connection/connection.ts';
import {
  ensureDates,
  listOrganizations,
  organizationKey,
} from '../../../src/warehouse/ledger/organization.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

describe('an organization', () => {
  it('has one key, also when several runs meet it first at once', async () => {
    const keys = await Promise.all(
      Array.from({ length: 6 }, () => withSession(loading.pool, ({ db }) => organizationKey(db, 'org new'))),
    );
    expect(new Set(keys).size).toBe(1);
    expect(await withSession(loading.pool, ({ db }) => listOrganizations(db))).toContainEqual({
      orgKey: keys[0],
      organizationId: 'org new',
    });
  });
});

describe('the calendar', () => {
  const has = async (date: string) =>
    (await loading.query('select from warehouse.dim_date where date_day = $1', [date])).length === 1;

  it('is extended by the days that it lacks, both ends included', async () => {
    await withSession(loading.pool, ({ db }) => ensureDates(db, '2036-02-28', '2036-03-01'));
    expect([
      await has('2036-02-27'),
      await has('2036-02-28'),
      await has('2036-02-29'),
      await has('2036-03-01'),
      await has('2036-03-02'),
    ]).toEqual([false, true, true, true, false]);
  });

  it('may be extended by several at once, and again', async () => {
    await Promise.all(
      Array.from({ length: 4 }, () =>
        withSession(loading.pool, ({ db }) => ensureDates(db, '2040-01-01', '2040-12-31')),
      ),
    );
    const [{ days } = {}] = await loading.query(
      `select count(*)::int as days from warehouse.dim_date where year = 2040`,
    );
    expect(days).toBe(366);
  });
});
