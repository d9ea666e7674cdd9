/** Pages of readiness reports: nothing is documented of their size and order, and nothing must be lost or never end. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { job as backfill } from '../../jobs/backfill.ts';
import { sharedTestDatabase } from '../support/database.ts';
import { runInProcess } from '../support/in-process.ts';
import {
  organizationOf,
  type ReadinessPlatform,
  report,
  reportId,
  startReadinessPlatform,
} from '../support/readiness-platform.ts';
import { expectedReadiness, storedReadiness } from '../support/readiness-warehouse.ts';

let platform: ReadinessPlatform;
/** Each test has an organization of its own. */
let key = '';
let tests = 0;

const database = await sharedTestDatabase();
beforeEach(async () => {
  platform = await startReadinessPlatform();
  tests += 1;
  key = `key-${tests}`;
});
afterEach(() => platform.server.close());

const load = () =>
  runInProcess(
    backfill,
    { endpoints: 'readiness' },
    {
      API_BASE_URL: platform.url.href,
      APP_BASE_URL: platform.url.href,
      API_KEY: key,
      DATABASE_URL: database.url,
      REQUESTS_PER_SECOND: '1000',
      MAX_RETRIES: '0',
    },
  );
const stored = () => storedReadiness(database.pool, organizationOf(key));

async function ofOrganization(text: string): Promise<readonly unknown[]> {
  const own = 't.org_key = (select org_key from warehouse.dim_org where org_id = $1)';
  return (await database.pool.query(`${text} and ${own}`, [organizationOf(key)])).rows;
}

const all = [1, 2, 3, 4, 5, 6, 7].map((number) => report(number));

describe('all reports are held', () => {
  test.each([
    ['oldest first', all],
    ['newest first', all.toReversed()],
    ['in no order', [...all.slice(3), ...all.slice(0, 3)]],
  ])('%s', async (_, reports) => {
    platform.reports.set(key, reports);
    expect((await load()).code).toBe(0);
    expect(await stored()).toEqual(expectedReadiness(all));
  });

  test.each<[string, ReadinessPlatform['pageSize']]>([
    ['of one', () => 1],
    ['that hold everything', () => 1000],
    ['as large as is asked for', (limit) => limit ?? 3],
    ['of a size of their own, whatever is asked for', () => 3],
    ['whose size must not be said', (limit) => (limit === undefined ? 2 : 'refused')],
    ['of 50 at most, more is refused', (limit) => ((limit ?? 4) > 50 ? 'refused' : (limit ?? 4))],
  ])('in pages %s', async (_, pageSize) => {
    platform.reports.set(key, all);
    platform.pageSize = pageSize;
    expect((await load()).code).toBe(0);
    expect(await stored()).toEqual(expectedReadiness(all));
  });

  test('where each page begins with the last report of the one before', async () => {
    platform.reports.set(key, all);
    platform.isInclusive = true;
    platform.pageSize = () => 3;
    expect((await load()).code).toBe(0);
    expect(await stored()).toEqual(expectedReadiness(all));
  });

  test('where each page begins with the same report, as long as each brings another', async () => {
    platform.reports.set(key, all.slice(1));
    platform.pinned = all.slice(0, 1);
    platform.pageSize = () => 1;
    expect((await load()).code).toBe(0);
    expect(await stored()).toEqual(expectedReadiness(all));
  });

  test('where the last page holds the report that it is to begin after, however often', async () => {
    platform.reports.set(key, [...all.slice(0, 6), report(7), report(7), report(7)]);
    platform.pageSize = () => 7;
    expect((await load()).code).toBe(0);
    expect(await stored()).toEqual(expectedReadiness(all));
  });

  test('where one is listed twice: as it was listed last', async () => {
    const again = report(2, { branch: 'later', report: {}, apps: {} });
    const [first = again, , third = again, ...others] = all;
    platform.reports.set(key, [...all.slice(0, 4), again, ...all.slice(4)]);
    platform.pageSize = () => 3;
    expect((await load()).code).toBe(0);
    expect(await stored()).toEqual(expectedReadiness([first, again, third, ...others]));
    const drift = await ofOrganization("select kind from etl.drift as t where kind = 'duplicate_key'");
    expect(drift).toHaveLength(1);
  });
});

test.each([400, 413, 422])(
  'a size that is refused (%i) is not asked for again in the same reading',
  async (status) => {
    platform.reports.set(key, all);
    platform.refusal = status;
    platform.pageSize = (limit) => (limit === undefined ? 4 : 'refused');
    await load();
    const path = '/api/organization/maturity-level-reports';
    expect(platform.asked).toEqual([
      `${path}?limit=100`,
      path,
      `${path}?startAfter=${reportId(4)}`,
      `${path}?startAfter=${reportId(7)}`,
    ]);
  },
);

test('what is refused whatever its size is an error, and not a list without reports', async () => {
  platform.pageSize = () => 'refused';
  expect(await load()).toMatchObject({ code: 1, json: { sources: { readiness: 'failed' } } });
});

test('a page that brings nothing new is an error, unless it ends the list', async () => {
  platform.reports.set(key, all);
  await load();
  const before = await stored();
  // The last report leads back to the beginning.
  platform.reports.set(key, [...all.slice(2, 6), ...all.slice(2, 6)]);
  expect(await load()).toMatchObject({
    code: 1,
    json: { sources: { readiness: 'failed' } },
  });
  expect(await ofOrganization('select last_error from etl.slice as t where true')).toEqual([
    { last_error: expect.stringContaining('paging would never end') },
  ]);
  expect(await stored()).toEqual(before);
});

test('no reports at all are believed at once', async () => {
  expect(await load()).toMatchObject({
    code: 0,
    json: { slices: { planned: 1, empty: 1, pending: 0 }, sources: { readiness: 'empty' } },
  });
});
