import type pg from 'pg';
import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { breakAtCommit, breakAtRow, timesReached } from '../support/breaking-backends.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { fieldsOf } from '../support/exact-json.ts';
import { type Installation, install } from '../support/installation.ts';
import { expectNothingOrphaned } from '../support/ledger-rows.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-15' };
const backfill = `backfill --from ${range.from} --to ${range.to}`;
const backfillAgain = `${backfill} --force`;
/** Of the number of the send that is cut, from one run to the next: there are too many to cut each. */
const growth = 1.5;
const nightly = `nightly --date ${range.to}`;
const changes = { environment: tinyBounds };

async function expectWhole(installation: Installation): Promise<void> {
  const { pool } = installation.database;
  await expectWarehouseEqualsPayloads(installation, range);
  await expectNothingOrphaned(pool);
  await expectNoLockLeft(pool);
}

/** Every figure of the last day is another from now on. */
function restateAll({ dataset }: Installation, by: number): void {
  for (const endpoint of ['users', 'tokens'])
    changeRows(dataset, endpoint, range.to, (row) => ({ ...row, billable_tokens: by }));
}

/** When the connection is lost, what loses it, and how often that point is reached until then. */
const losses: [string, (pool: pg.Pool, times: number) => Promise<void>, number][] = [
  ['at the first row of a fact', (pool, row) => breakAtRow(pool, 'fact_user_daily', row), 1],
  ['in the middle of the rows', (pool, row) => breakAtRow(pool, 'fact_user_daily', row), 60],
  [
    'in the rows of one large record',
    (pool, row) => breakAtRow(pool, 'fact_token_user_model_daily', row),
    50,
  ],
  ['while it commits', breakAtCommit, 1],
];

test.each(losses)(
  'a slice above every bound whose connection is lost %s is loaded all the same',
  async (_at, lose, times) => {
    await using installation = await install({ users: 400 });
    const { pool } = installation.database;
    await lose(pool, times);
    const { code, summary } = await loadInProcess(installation, backfill, changes);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 10, failed: 0 } });
    expect(await timesReached(pool)).toBeGreaterThan(times);
    await expectWhole(installation);
  },
);

test('a restated slice above every bound survives the loss of its connection at its commit', async () => {
  await using installation = await install({ users: 400 });
  const { pool } = installation.database;
  await loadInProcess(installation, backfill, changes);
  restateAll(installation, 0.5);
  await breakAtCommit(pool);
  const { code, summary } = await loadInProcess(installation, nightly, changes);
  expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 2, unchanged: 8 } });
  await expectWhole(installation);
});

test('a commit whose acknowledgement is lost, whichever it is, is neither doubled nor taken for a failure', async () => {
  await using installation = await install({ users: 300 });
  const { database, environment } = installation;
  const proxy = await startCuttingProxy(database.url);
  const through = { ...installation, environment: { ...environment, DATABASE_URL: proxy.url } };
  try {
    await loadInProcess(installation, backfill, changes);
    let commit = 0;
    do {
      commit += 1;
      restateAll(installation, commit);
      await expectNoLockLeft(database.pool);
      proxy.cutAtCommit(commit);
      const { code, summary } = await loadInProcess(through, nightly, changes);
      expect({ commit, code, summary }).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
      expect({ commit, failed: summary.slices.failed }).toEqual({ commit, failed: 0 });
    } while (proxy.cuts === commit);
    expect(commit).toBeGreaterThan(2);
    await expectWhole(installation);
  } finally {
    await proxy.close();
  }
});

test('a run above every bound succeeds at early, middle and late sends on which its connection breaks', async () => {
  let atFirstRequest: (() => void) | undefined;
  await using installation = await install({
    users: 300,
    fault: () => {
      atFirstRequest?.();
      atFirstRequest = undefined;
      return undefined;
    },
  });
  const { database, environment } = installation;
  const proxy = await startCuttingProxy(database.url);
  const through = { ...installation, environment: { ...environment, DATABASE_URL: proxy.url } };
  try {
    let [send, cuts] = [1, 0];
    do {
      restateAll(installation, send);
      await expectNoLockLeft(database.pool);
      // Before that the program looks at the database, and says so when it is not there.
      atFirstRequest = () => proxy.cutAtSend(send);
      const { code, summary } = await loadInProcess(through, backfillAgain, changes);
      expect({ send, code, failed: summary.slices.failed }).toEqual({ send, code: 0, failed: 0 });
      cuts += 1;
      send = Math.ceil(send * growth);
    } while (proxy.cuts === cuts);
    expect(cuts).toBeGreaterThan(5);
    await expectWhole(installation);
  } finally {
    await proxy.close();
  }
});

test('a day of ten thousand users whose connection is lost once takes nothing else with it', async () => {
  await using installation = await install({ users: 5 });
  const { pool } = installation.database;
  const [row] = installation.dataset.rows('users', day(range.from));
  const crowd = Array.from({ length: 10_500 }, (_, index) => ({
    ...fieldsOf(row),
    user_id: `user_${String(index).padStart(6, '0')}`,
    user_email: null,
    date: range.to,
    languages: [],
  }));
  installation.dataset.overrideRows('users', day(range.to), crowd);
  await breakAtRow(pool, 'fact_user_daily', 9_000);
  const { code, summary } = await loadInProcess(installation, backfill);
  expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 10, failed: 0 } });
  expect(await timesReached(pool)).toBeGreaterThan(10_500);
  await expectWhole(installation);
});
