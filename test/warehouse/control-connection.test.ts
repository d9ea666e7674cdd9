import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPool } from '../../src/warehouse/connection/connection.ts';
import {
  type ControlConnection,
  openControlConnection,
} from '../../src/warehouse/connection/control-connection.ts';
import { closeDeadRuns, openRun } from '../../src/warehouse/ledger/run-ledger.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: pg.Pool;
let control: ControlConnection;
let reconnected: PromiseWithResolvers<void>;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 3);
  reconnected = Promise.withResolvers();
  control = await openControlConnection(pool, {
    signal: new AbortController().signal,
    onReconnected: () => reconnected.resolve(),
    onLost: (error) => reconnected.reject(error),
  });
});

afterEach(async () => {
  control.close();
  await pool.end();
  await database.drop();
});

/** Breaks the control connection from the server's side, and waits until it is made again. */
async function loseConnection(): Promise<void> {
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'usage-etl'`,
  );
  await reconnected.promise;
}

test('a run that was taken for dead while its connection was lost is running again, and stays it', async () => {
  const runId = await control.use((session) => openRun(session, 'test', {}, 'test'));
  control.holdRun(runId);
  await database.pool.query("update etl.run set status = 'failed', finished_at = now(), error = 'dead'");
  await loseConnection();
  expect(await control.use(({ db }) => closeDeadRuns(db))).toEqual([]);
  const { rows } = await database.pool.query('select run_id, status, finished_at, error from etl.run');
  expect(rows).toEqual([{ run_id: runId, status: 'running', finished_at: null, error: null }]);
});
