/** A day that holds rows is not believed to be empty any more, and what was answered before does not count later. */
import { beforeEach, expect, test } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { sliceOf } from '../../../src/model/source.ts';
import { users } from '../../../src/sources/users/source.ts';
import { type Session, withSession } from '../../../src/warehouse/connection/connection.ts';
import { recordRefusal } from '../../../src/warehouse/ledger/slice-failures.ts';
import { recordPending, recordUnchanged } from '../../../src/warehouse/ledger/slice-outcomes.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const slice = sliceOf(users, day('2026-02-01'));

const loading = await sharedSliceLoading();

beforeEach(async () => {
  await loading.clear();
  const { orgKey, runId } = loading.context;
  await loading.query(
    `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, run_id, answered_empty_by, believed_by)
     values ($1, 'users', $2::text, $2::date, 'empty', $3, array[$3::bigint], 'days')`,
    [orgKey, slice.key, runId],
  );
});

async function after(work: (session: Session, orgKey: number, runId: string) => Promise<unknown>) {
  const { orgKey, runId } = loading.context;
  await withSession(loading.pool, (session) => work(session, orgKey, runId));
  const [row] = await loading.query('select status, answered_empty_by, believed_by from etl.slice', []);
  return row;
}

const loaded = { status: 'loaded', answered_empty_by: [], believed_by: null };

test('after an answer was refused for the rows that are held', async () => {
  const refusal = { error: 'shrunk', held: { rowCount: 1, tableRows: { fact_user_daily: 1 } } };
  const row = await after(({ db }, orgKey, runId) => recordRefusal(db, orgKey, slice, { runId, ...refusal }));
  expect(row).toEqual(loaded);
});

test('after an answer that is known', async () => {
  const row = await after((session, orgKey, runId) =>
    recordUnchanged(session, orgKey, runId, [{ slice, sourceHash: null }], []),
  );
  expect(row).toEqual(loaded);
});

test('nor for a reason of then, when its rows are gone again', async () => {
  await loading.query("update etl.slice set status = 'loaded'", []);
  const row = await after(({ db }, orgKey, runId) => recordPending(db, orgKey, runId, [slice], 'kept'));
  expect(row).toMatchObject({ status: 'pending', believed_by: null });
});
