import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { backfillJobs, nightlyJobs } from '../../../src/pipeline/queue/orders.ts';
import { openPool, withTransaction } from '../../../src/warehouse/connection/connection.ts';
import { migrate } from '../../../src/warehouse/migrations/migrations.ts';
import { addJobs, deleteEndedBefore, type JobToAdd } from '../../../src/warehouse/queue/add-jobs.ts';
import { readQueueFigures, removeEmptyQueues } from '../../../src/warehouse/queue/queue-figures.ts';
import { settleJob } from '../../../src/warehouse/queue/settle-job.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let pool: ReturnType<typeof openPool>;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrate(database.url, { queue: 'needed' });
  pool = openPool(database.url, 4);
});
beforeEach(async () => {
  await database.pool.query('delete from etl_queue._private_jobs; delete from etl_queue._private_job_queues');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const add = (jobs: readonly JobToAdd[]) => withTransaction(pool, ({ client }) => addJobs(client, jobs));
const order = (from: string, to: string, force = false) =>
  backfillJobs(['acme'], { range: { from: day(from), to: day(to) }, named: undefined, force });

async function jobs() {
  const { rows } = await database.pool.query<{
    id: string;
    key: string;
    payload: Record<string, unknown>;
    attempts: number;
    revision: number;
    is_due: boolean;
  }>(
    'select id, key, payload, attempts, revision, is_available and run_at <= now() as is_due from etl_queue._private_jobs order by key',
  );
  return rows;
}

/** As a worker takes it. */
async function take(): Promise<{ id: string; poolId: string; revision: number }> {
  const { rows } = await database.pool.query<{ id: string; revision: number }>(
    `update etl_queue._private_jobs set locked_by = 'pool-a', locked_at = now(), attempts = attempts + 1 returning id, revision`,
  );
  await database.pool.query(
    "update etl_queue._private_job_queues set locked_by = 'pool-a', locked_at = now()",
  );
  const [job] = rows;
  if (job === undefined) throw new Error('expected a job');
  return { ...job, poolId: 'pool-a' };
}

const settle = async (...settlement: [Parameters<typeof settleJob>[1], Parameters<typeof settleJob>[2]]) => {
  const client = await database.pool.connect();
  try {
    return await settleJob(client, ...settlement);
  } finally {
    client.release();
  }
};

test('ten orders at the same moment add each job once', async () => {
  const night = nightlyJobs(['acme', 'other'], day('2026-03-01'));
  const ordered = await Promise.all(Array.from({ length: 10 }, () => add(night)));
  const sum = (of: 'enqueued' | 'alreadyQueued') => ordered.reduce((total, each) => total + each[of], 0);
  expect([sum('enqueued'), sum('alreadyQueued')]).toEqual([2, 18]);
  expect(await jobs()).toMatchObject([
    { key: 'nightly acme 2026-03-01', attempts: 0, is_due: true },
    { key: 'nightly other 2026-03-01' },
  ]);
});

test('a job that failed, for good or for a while, is due at once when it is ordered again', async () => {
  const wanted = order('2026-02-01', '2026-02-03');
  for (const settlement of [
    { becomes: 'ended', reason: 'HTTP 401' },
    { becomes: 'due', afterMs: 60_000, reason: 'HTTP 500', payload: { failures: 1 } },
  ] as const) {
    await add(wanted);
    expect(await settle(await take(), settlement)).toBe(true);
    expect(await jobs()).toMatchObject([{ is_due: false }]);
    expect(await add(wanted)).toEqual({ enqueued: 1, alreadyQueued: 0 });
    expect(await jobs()).toMatchObject([{ is_due: true, attempts: 0, payload: wanted[0]?.payload }]);
  }
});

test('a waiting job gets the days that a new order adds, and a running one is due again for them', async () => {
  await add(order('2026-02-10', '2026-02-12'));
  expect(await add(order('2026-02-01', '2026-02-11', true))).toEqual({ enqueued: 0, alreadyQueued: 1 });
  const wider = { from: '2026-02-01', to: '2026-02-12', asks_from: '2026-02-01', force: true };
  expect(await jobs()).toMatchObject([{ payload: wider }]);
  const taken = await take();
  await add(order('2026-02-03', '2026-02-04'));
  expect(await jobs()).toMatchObject([{ payload: wider, revision: taken.revision }]);
  await add(order('2026-02-03', '2026-02-20'));
  expect(await settle(taken, { becomes: 'deleted' })).toBe(true);
  expect(await jobs()).toMatchObject([
    { payload: { ...wider, to: '2026-02-20' }, attempts: 0, is_due: true },
  ]);
  expect(await settle(await take(), { becomes: 'deleted' })).toBe(true);
  expect(await jobs()).toEqual([]);
});

test('a worker settles only a job that it still has', async () => {
  await add(order('2026-02-10', '2026-02-12'));
  const taken = await take();
  await database.pool.query("update etl_queue._private_jobs set locked_by = 'pool-b'");
  for (const settlement of [
    { becomes: 'deleted' },
    { becomes: 'ended', reason: 'x' },
    { becomes: 'returned', afterMs: 0 },
  ] as const)
    expect(await settle(taken, settlement)).toBe(false);
  expect(await jobs()).toMatchObject([{ attempts: 1 }]);
});

test('figures count the jobs, empty queues go, and an ended job of an older night goes with a newer order', async () => {
  await add(nightlyJobs(['acme'], day('2026-03-01')));
  await settle(await take(), { becomes: 'ended', reason: 'HTTP 500' });
  await add(nightlyJobs(['acme', 'other'], day('2026-03-02')));
  const client = await database.pool.connect();
  try {
    expect(await readQueueFigures(client)).toMatchObject({
      jobs: { due: 2, waiting: 0, running: 0, failed: 1 },
    });
    await deleteEndedBefore(client, [
      { firstKey: 'nightly acme 2026-01-14', beforeKey: 'nightly acme 2026-03-02' },
    ]);
    expect((await jobs()).map(({ key }) => key)).toEqual([
      'nightly acme 2026-03-02',
      'nightly other 2026-03-02',
    ]);
    await database.pool.query("delete from etl_queue._private_jobs where key like 'nightly other%'");
    await removeEmptyQueues(client);
    const { rows } = await client.query('select queue_name from etl_queue._private_job_queues');
    expect(rows).toEqual([{ queue_name: 'acme' }]);
  } finally {
    client.release();
  }
});

test.each(['null', '[1]', '"\\u0000"', '{"from": "\\ud800", "to": 1}', '{"from": {"a": "\\u0000"}}'])(
  'a payload that somebody put under a key of ours (%s) hinders no order',
  async (payload) => {
    const wanted = [...order('2026-02-01', '2026-02-03'), ...nightlyJobs(['acme'], day('2026-03-01'))];
    for (const { key, task } of wanted)
      await database.pool.query('select etl_queue.add_job($1, payload := $2::json, job_key := $3)', [
        task,
        payload,
        key,
      ]);
    expect(await add(wanted)).toEqual({ enqueued: 0, alreadyQueued: 2 });
  },
);
