import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { explain, LockHeldError, WarehouseError } from '../../src/model/errors.ts';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import {
  type ControlConnection,
  openControlConnection,
} from '../../src/warehouse/ledger/control-connection.ts';
import { LockConnection } from '../../src/warehouse/ledger/lock-connection.ts';
import { closeDeadRuns, openRun } from '../../src/warehouse/ledger/run-ledger.ts';
import { lockOrganization } from '../../src/warehouse/locks/organization-lock.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { quickTiming } from '../support/timing.ts';

let database: TestDatabase;
let pool: pg.Pool;
let control: ControlConnection;
let reconnected: PromiseWithResolvers<void>;
let lost: PromiseWithResolvers<Error>;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 3, { timing: { ...quickTiming, freedLockWaitsMs: [5, 20, 100, 500] } });
  reconnected = Promise.withResolvers();
  lost = Promise.withResolvers();
  control = await openControlConnection(pool, {
    signal: new AbortController().signal,
    lockTimeoutMs: 30_000,
    onWait: () => undefined,
    onReconnected: () => reconnected.resolve(),
    onLost: (error) => lost.resolve(error),
  });
});

afterEach(async () => {
  await control.close();
  await pool.end();
  await database.drop();
});

/** Breaks the control connection from the server's side. */
async function loseConnection(): Promise<void> {
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'usage-etl'`,
  );
}

/** Whether somebody else could take the lock of an organization; it is not kept. */
async function isFree(orgKey: number): Promise<boolean> {
  const others = openPool(database.url, 1);
  try {
    return await withSession(others, ({ client }) => lockOrganization(client, orgKey));
  } finally {
    await others.end();
  }
}

test('a run that was taken for dead while its connection was lost is running again, and stays it', async () => {
  const runId = await control.use((session) => openRun(session, 'test', {}, 'test'));
  control.holdRun(runId);
  await database.pool.query("update etl.run set status = 'failed', finished_at = now(), error = 'dead'");
  await loseConnection();
  await reconnected.promise;
  expect(await control.use(({ db }) => closeDeadRuns(db))).toEqual([]);
  const { rows } = await database.pool.query('select run_id, status, finished_at, error from etl.run');
  expect(rows).toEqual([{ run_id: runId, status: 'running', finished_at: null, error: null }]);
});

test('the locks of all organizations are taken again after a loss', async () => {
  await control.holdOrganization(1);
  await control.holdOrganization(2);
  await loseConnection();
  await reconnected.promise;
  expect([await isFree(1), await isFree(2), await isFree(3)]).toEqual([false, false, true]);
});

test('the schema stays as it is while the connection lives, also after a loss', async () => {
  let changes = 0;
  const first = async () => {
    changes += 1;
  };
  const migrating = () => migrate(database.url, { lockTimeoutMs: 50, first });
  await expect(migrating()).rejects.toBeInstanceOf(LockHeldError);
  await loseConnection();
  await reconnected.promise;
  await expect(migrating()).rejects.toBeInstanceOf(LockHeldError);
  await control.close();
  expect(changes).toBe(0);
  expect((await migrating()).applied).toEqual([]);
  expect(changes).toBe(1);
});

test('all locks are free as soon as it is closed', async () => {
  await control.holdOrganization(1);
  await control.close();
  const { rowCount } = await database.pool.query(
    `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
     where locktype = 'advisory' and datname = current_database()`,
  );
  expect(rowCount).toBe(0);
});

test('a run whose organization was taken by another while the connection was lost must end', async () => {
  await control.holdOrganization(1);
  const other = await database.pool.connect();
  // Waits in the queue of the lock, so that it has it as soon as the connection is lost.
  const taking = other.query('select pg_advisory_lock(lock_number, 1) from etl.lock_number');
  const isWaiting = async () =>
    (
      await database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
      )
    ).rowCount;
  await expect.poll(isWaiting, { interval: 5 }).toBe(1);
  await loseConnection();
  await taking;
  const error = await lost.promise;
  other.release();
  expect(error).toBeInstanceOf(WarehouseError);
  expect(explain(error)).toMatch(/connection was lost.*another run works on this organization/);
});

test('of the runs that share a connection only the one ends whose organization another took meanwhile', async () => {
  const { signal } = new AbortController();
  const shared = new LockConnection(pool, { lockTimeoutMs: 30_000, signal, isShared: true });
  const losses: number[] = [];
  const runs = await Promise.all(
    [1, 2, 3].map((orgKey) =>
      openControlConnection(
        pool,
        {
          signal,
          lockTimeoutMs: 30_000,
          onWait: () => undefined,
          onReconnected: () => undefined,
          onLost: () => losses.push(orgKey),
        },
        shared,
      ),
    ),
  );
  const [first, second, third] = runs;
  await first?.holdOrganization(1);
  await second?.holdOrganization(2);
  await third?.holdOrganization(3);
  await expect(third?.holdOrganization(1)).rejects.toBeInstanceOf(LockHeldError);
  const other = await database.pool.connect();
  try {
    const taking = other.query('select pg_advisory_lock(lock_number, 1) from etl.lock_number');
    await expect
      .poll(async () => (await database.pool.query('select from pg_locks where not granted')).rowCount)
      .toBe(1);
    await loseConnection();
    await taking;
    await expect.poll(() => losses, { timeout: 10_000 }).toEqual([1]);
    await third?.close();
    expect([await isFree(2), await isFree(3)]).toEqual([false, true]);
  } finally {
    other.release(true);
    for (const run of runs) await run.close();
  }
  expect(await isFree(2)).toBe(true);
});
