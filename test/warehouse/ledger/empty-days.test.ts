import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { withSession } from '../../../src/warehouse/connection/connection.ts';
import { believeEmptyDays } from '../../../src/warehouse/ledger/empty-days.ts';
import { type SliceLoading, startSliceLoading } from '../../support/slice-loading.ts';

let loading: SliceLoading;

beforeAll(async () => {
  loading = await startSliceLoading();
});

afterAll(() => loading.close());

const [emptyDay, yesterday] = [day('2026-02-01'), day('2026-03-01')];

beforeEach(async () => {
  await loading.clear();
  await ledgerRow('tokens', emptyDay, 'pending', 0);
});

function ledgerRow(endpoint: string, key: string, status: string, rows: number) {
  const { orgKey, runId } = loading.context;
  return loading.query(
    `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, row_count, run_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [orgKey, endpoint, key, emptyDay, status, rows, runId],
  );
}

/** Endpoints whose day is believed to be empty. */
async function believed(): Promise<string[]> {
  const { orgKey, runId } = loading.context;
  const found = await withSession(loading.pool, ({ db }) =>
    believeEmptyDays(db, { orgKey, runId, yesterday }, ['tokens', 'users'], []),
  );
  return found.map(({ endpoint, key }) => `${endpoint} ${key}`);
}

test('an old day of which nobody has rows is believed to be empty', async () => {
  expect(await believed()).toEqual([`tokens ${emptyDay}`]);
});

test('a day of which another endpoint has rows is not', async () => {
  await ledgerRow('users', emptyDay, 'loaded', 3);
  expect(await believed()).toEqual([]);
});

test('what could be read on a day, such as a snapshot, does not say that it was used', async () => {
  await ledgerRow('computers', emptyDay, 'loaded', 3);
  expect(await believed()).toEqual([`tokens ${emptyDay}`]);
});
