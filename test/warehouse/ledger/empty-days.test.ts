import { beforeEach, describe, expect, test } from 'vitest';
import { addDays, day } from '../../../src/model/day.ts';
import { factActivityDaily } from '../../../src/sources/activity/tables.ts';
import { type Database, withSession } from '../../../src/warehouse/connection/connection.ts';
import { believeEmptyDays, type Doubts, reopenEmptyDays } from '../../../src/warehouse/ledger/empty-days.ts';
import { organizationKey } from '../../../src/warehouse/ledger/organization.ts';
import type { SliceName } from '../../../src/warehouse/ledger/slice-ledger.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

const [emptyDay, yesterday] = [day('2026-02-01'), day('2026-03-01')];
const doubts: Doubts = {
  endpoints: ['tokens', 'activity', 'users'],
  nothingWhere: [
    {
      endpoint: 'users',
      table: factActivityDaily,
      columns: ['daily_active_users', 'sessions', 'messages'],
    },
  ],
};

/** What the ledger says of a day of an endpoint; of one that was answered without rows where nothing else is said. */
interface Said {
  readonly status?: string;
  readonly rows?: number;
  /** Runs that were answered so, each begun on the day of this number. */
  readonly answeredOn?: readonly number[];
  readonly believedBy?: string;
  readonly isAnswered?: boolean;
  readonly lastFailed?: boolean;
}

async function ledgerRow(endpoint: string, said: Said = {}): Promise<void> {
  const { orgKey, runId } = loading.context;
  const runIds = [];
  for (const days of said.answeredOn ?? [])
    runIds.push(
      ...(await loading.query(
        `insert into etl.run (job, status, started_at) values ('test', 'succeeded', $1::date + $2::integer)
         returning run_id`,
        [emptyDay, days],
      )),
    );
  const answeredBy = said.isAnswered === false ? [] : [...runIds.map(({ run_id }) => run_id), runId];
  await loading.query(
    `insert into etl.slice
       (org_key, endpoint, slice_key, usage_date, status, row_count, run_id, answered_empty_by, believed_by, last_failed_at)
     values ($1, $2, $3::text, $3::date, $4, $5, $6, $7, $8, case when $9 then now() end)`,
    [
      orgKey,
      endpoint,
      emptyDay,
      said.status ?? 'pending',
      said.rows ?? 0,
      runId,
      said.rows === undefined ? answeredBy : [],
      said.believedBy ?? null,
      said.lastFailed ?? false,
    ],
  );
}

/** The `/activity` row of the day. */
async function activityRow(
  users: number | null,
  sessions: number | null,
  messages: number | null,
): Promise<void> {
  await loading.query(
    `insert into warehouse.fact_activity_daily (org_key, usage_date, daily_active_users, sessions, messages, loaded_at)
     values ($1, $2, $3, $4, $5, now())`,
    [loading.context.orgKey, emptyDay, users, sessions, messages],
  );
  await ledgerRow('activity', { status: 'loaded', rows: 1 });
}

async function inWords(decide: (db: Database) => Promise<readonly SliceName[]>): Promise<string[]> {
  const decided = await withSession(loading.pool, ({ db }) => decide(db));
  for (const { key } of decided) expect(key).toBe(emptyDay);
  return decided.map(({ endpoint }) => endpoint).sort();
}

/** Endpoints whose day is believed to be empty, as seen from a run's yesterday. */
function believed(from = yesterday): Promise<string[]> {
  const { orgKey, runId } = loading.context;
  return inWords((db) => believeEmptyDays(db, { orgKey, runId, yesterday: from }, doubts));
}

/** Endpoints whose day is pending again. */
function reopened(): Promise<string[]> {
  return inWords((db) => reopenEmptyDays(db, loading.context.orgKey, doubts));
}

async function believedBy(endpoint: string): Promise<unknown> {
  const [row] = await loading.query('select status, believed_by from etl.slice where endpoint = $1', [
    endpoint,
  ]);
  return row;
}

beforeEach(() => loading.clear());

describe('a day without rows is believed to be empty', () => {
  beforeEach(() => ledgerRow('tokens'));

  test('when every endpoint was answered so, and it is old', async () => {
    for (const endpoint of ['activity', 'users']) await ledgerRow(endpoint);
    expect(await believed(addDays(emptyDay, 3))).toEqual([]);
    expect(await believed(addDays(emptyDay, 4))).toEqual(['activity', 'tokens', 'users']);
    expect(await believedBy('tokens')).toEqual({ status: 'empty', believed_by: 'endpoints' });
  });

  test.each<[string, Said | undefined]>([
    ['was never asked', undefined],
    ['failed', { status: 'failed', isAnswered: false, lastFailed: true }],
    ['failed after it was answered so', { status: 'failed', lastFailed: true }],
    ['is empty, and its last try failed', { status: 'empty', lastFailed: true }],
    ['could not be asked yet', { isAnswered: false }],
    ['was answered with rows that could not be read', { status: 'loaded', rows: 0 }],
    ['has rows', { status: 'loaded', rows: 3 }],
  ])('but not while another endpoint %s', async (_, said) => {
    await ledgerRow('activity');
    if (said !== undefined) await ledgerRow('users', said);
    expect(await believed()).not.toContain('tokens');
    expect(await believedBy('tokens')).toEqual({ status: 'pending', believed_by: null });
  });

  test('whatever is held of what could be read on that day, such as a snapshot', async () => {
    for (const endpoint of ['activity', 'users']) await ledgerRow(endpoint);
    await ledgerRow('computers', { status: 'loaded', rows: 3 });
    expect(await believed()).toEqual(['activity', 'tokens', 'users']);
  });

  test('also where another endpoint was believed by an earlier version, which kept no runs', async () => {
    await ledgerRow('activity');
    await ledgerRow('users', { status: 'empty', isAnswered: false });
    expect(await believed()).toEqual(['activity', 'tokens']);
  });
});

describe('three days', () => {
  test('decide, whatever another endpoint holds, but never of yesterday', async () => {
    await ledgerRow('users', { status: 'loaded', rows: 3 });
    await ledgerRow('tokens', { answeredOn: [1, 1, 2] });
    expect(await believed(emptyDay)).toEqual([]);
    expect(await believed(addDays(emptyDay, 1))).toEqual(['tokens']);
    expect(await believedBy('tokens')).toEqual({ status: 'empty', believed_by: 'days' });
    expect(await reopened()).toEqual([]);
  });

  test('are not two days, however many runs there were', async () => {
    await ledgerRow('tokens', { answeredOn: [1, 1] });
    expect(await believed()).toEqual([]);
  });

  test('have decided also when their runs are not remembered any more', async () => {
    await ledgerRow('users', { status: 'loaded', rows: 3 });
    await ledgerRow('tokens', { status: 'empty', believedBy: 'days' });
    expect(await reopened()).toEqual([]);
    expect(await believed()).toEqual(['tokens']);
  });
});

describe('/users without rows', () => {
  test('are believed at once where nobody was active, also of yesterday, unlike other endpoints', async () => {
    await activityRow(0, 0, 0);
    await ledgerRow('tokens');
    await ledgerRow('users');
    expect(await believed(emptyDay)).toEqual(['users']);
    expect(await believedBy('users')).toEqual({ status: 'empty', believed_by: 'figures' });
    expect(await reopened()).toEqual([]);
  });

  test.each<[number | null, number | null, number | null]>([
    [0, 770, 0],
    [0, 0, 12],
    [3, 0, 0],
    [null, 0, 0],
    [0, null, 0],
    [0, 0, null],
  ])('are not with %i users, %s sessions and %s messages', async (users, sessions, messages) => {
    await activityRow(users, sessions, messages);
    await ledgerRow('users');
    expect(await believed()).toEqual([]);
    await loading.query("update etl.slice set status = 'empty' where endpoint = 'users'");
    expect(await reopened()).toEqual(['users']);
  });

  test('are not where the day could not be asked for', async () => {
    await activityRow(0, 0, 0);
    await ledgerRow('users', { isAnswered: false });
    expect(await believed()).toEqual([]);
  });
});

describe('an empty day', () => {
  beforeEach(() => ledgerRow('tokens', { status: 'empty', believedBy: 'endpoints' }));

  test('is pending again where another endpoint holds rows', async () => {
    await ledgerRow('users', { status: 'loaded', rows: 3 });
    expect(await reopened()).toEqual(['tokens']);
    expect(await believedBy('tokens')).toEqual({ status: 'pending', believed_by: null });
    expect(await reopened()).toEqual([]);
  });

  test('is so whichever version believed it, and however it was asked for last', async () => {
    await loading.query('update etl.slice set believed_by = null, last_failed_at = now(), run_id = null');
    await ledgerRow('users', { status: 'loaded', rows: 3, lastFailed: true });
    expect(await reopened()).toEqual(['tokens']);
  });

  test('stays empty where nobody holds rows, or only what was read on that day', async () => {
    await ledgerRow('users', { status: 'empty' });
    await ledgerRow('activity', { status: 'failed', lastFailed: true });
    await ledgerRow('computers', { status: 'loaded', rows: 3 });
    expect(await reopened()).toEqual([]);
  });

  test('stays empty where only another organization has rows', async () => {
    const other = await withSession(loading.pool, ({ db }) => organizationKey(db, 'org_other'));
    await loading.query(
      `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, row_count)
       values ($1, 'users', $2::text, $2::date, 'loaded', 3)`,
      [other, emptyDay],
    );
    expect(await reopened()).toEqual([]);
  });
});
