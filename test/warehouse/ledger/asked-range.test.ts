import { beforeAll, beforeEach, expect, test } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { withSession } from '../../../src/warehouse/connection/connection.ts';
import { readAskedRanges, rememberAskedRange } from '../../../src/warehouse/ledger/asked-range.ts';
import { organizationKey } from '../../../src/warehouse/ledger/organization.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

let another: number;

const loading = await sharedSliceLoading();

beforeAll(async () => {
  another = await withSession(loading.pool, ({ db }) => organizationKey(db, 'org_another'));
});

beforeEach(async () => {
  await loading.query('delete from etl.asked_range');
});

function remember(endpoints: readonly string[], firstDay: string, orgKey = loading.context.orgKey) {
  return withSession(loading.pool, ({ db }) => rememberAskedRange(db, orgKey, endpoints, day(firstDay)));
}

async function ranges(orgKey = loading.context.orgKey): Promise<Record<string, string>> {
  return Object.fromEntries(await withSession(loading.pool, ({ db }) => readAskedRanges(db, orgKey)));
}

test('one organization knows nothing of what another asked for', async () => {
  await remember(['tokens'], '2026-01-20', another);
  await remember(['tokens'], '2026-02-10');
  expect(await ranges()).toEqual({ tokens: '2026-02-10' });
  expect(await ranges(another)).toEqual({ tokens: '2026-01-20' });
});

test('asking for nothing earlier writes no row', async () => {
  await remember(['tokens'], '2026-01-20');
  const place = () => loading.query('select ctid::text, xmin::text from etl.asked_range');
  const before = await place();
  await remember(['tokens'], '2026-01-20');
  await remember(['tokens'], '2026-01-21');
  expect(await place()).toEqual(before);
});

test('asking for no endpoint remembers nothing', async () => {
  await remember([], '2026-01-20');
  expect(await ranges()).toEqual({});
});
