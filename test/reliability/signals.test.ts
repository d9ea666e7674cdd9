import { expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { type Installation, install } from '../support/installation.ts';
import type { Started } from '../support/program.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads, runsByStatus } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-23' };
const backfill = `backfill --from ${range.from} --to ${range.to}`;
/** Requests that are answered before it happens. */
const answered = 8;
const graceSeconds = 10;

/** Ends a run by a signal, and returns what it said and how long it took. */
async function interrupt({ process: child, ended }: Started, signal: NodeJS.Signals) {
  const startedAt = performance.now();
  child.kill(signal);
  const end = await ended;
  const seconds = (performance.now() - startedAt) / 1000;
  expect(end.code, end.stderr).toBe(1);
  expect(seconds).toBeLessThan(graceSeconds);
  return { ...end, seconds };
}

/** The next run does what was left, and nothing is left of the one before. */
async function expectCompletion(installation: Installation): Promise<void> {
  const { pool } = installation.database;
  await expectNoLockLeft(pool);
  const next = await installation.load(backfill);
  expect(next).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
  expect((await runsByStatus(pool)).running).toBeUndefined();
  await expectNoLockLeft(pool);
  await expectWarehouseEqualsPayloads(installation, range);
}

const askedToWait = (status: number): Fault => ({
  kind: 'status',
  status,
  headers: { 'retry-after': '3600' },
});

test.each<[NodeJS.Signals, string, Fault | undefined]>([
  ['SIGTERM', 'requests are answered', undefined],
  ['SIGINT', 'requests are answered', undefined],
  ['SIGTERM', 'requests hang', { kind: 'hang' }],
  ['SIGINT', 'requests hang', { kind: 'hang' }],
  ['SIGTERM', 'the platform asks to pause for an hour', askedToWait(429)],
  ['SIGTERM', 'the platform asks to retry in an hour', askedToWait(503)],
])('%s ends a run while %s', async (signal, when, fault) => {
  const reached = Promise.withResolvers<void>();
  let isHealthy = false;
  await using installation = await install({
    latencyMs: fault === undefined ? 40 : 0,
    fault: ({ number }) => {
      if (isHealthy || number <= answered) return undefined;
      if (number === answered + 2) reached.resolve();
      return fault;
    },
  });
  const started = installation.start(backfill, { MAX_RETRIES: '6' });
  // A pause lets no second request through.
  await Promise.race([reached.promise, started.says('trying again')]);
  const { stderr, seconds } = await interrupt(started, signal);
  expect(stderr).toContain(`interrupted by ${signal}`);
  expect(stderr).not.toContain('did not end in time');
  expect((await runsByStatus(installation.database.pool)).running).toBeUndefined();
  isHealthy = true;
  await expectCompletion(installation);
  console.log(`${signal} while ${when}: exit 1 after ${seconds.toFixed(1)} s, next run completed`);
});

test('SIGTERM ends a run while a statement waits for a lock of somebody else', async () => {
  await using installation = await install();
  const { pool } = installation.database;
  const blocker = await pool.connect();
  await blocker.query('begin; lock table warehouse.fact_user_daily in access exclusive mode');
  const started = installation.start(backfill);
  const waiting = async () =>
    (
      await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rowCount;
  await expect.poll(waiting, { interval: 20 }).toBeGreaterThan(0);
  const { stderr, seconds } = await interrupt(started, 'SIGTERM');
  const statuses = await runsByStatus(pool);
  await blocker.query('rollback');
  blocker.release();
  expect(stderr).not.toContain('did not end in time');
  expect(statuses.running).toBeUndefined();
  await expectCompletion(installation);
  console.log(`SIGTERM while loading waits for a lock: exit 1 after ${seconds.toFixed(1)} s`);
});

test('a second run at the same time does nothing and exits 4', async () => {
  const reached = Promise.withResolvers<void>();
  let isHealthy = false;
  await using installation = await install({
    fault: ({ number }) => {
      if (number === answered) reached.resolve();
      return isHealthy || number < answered ? undefined : { kind: 'delay', ms: 3_000 };
    },
  });
  const first = installation.start(backfill);
  await reached.promise;
  isHealthy = true;
  const second = await installation.run(backfill);
  expect(second.code).toBe(4);
  expect(second.stderr).toContain('another run works on this organization');
  expect((await first.ended).code).toBe(0);
  await expectCompletion(installation);
});
