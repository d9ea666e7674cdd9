import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InterruptedError, SilentDatabaseError } from '../../src/model/errors.ts';
import { BoundedClient } from '../../src/warehouse/connection/bounded-client.ts';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';
import { authorityFile, startTlsFront } from '../support/tls-front.ts';

let database: TestDatabase;
let abort: AbortController;

beforeEach(async () => {
  database = await createTestDatabase();
  abort = new AbortController();
});

afterEach(() => database.drop());

const asleep = async () => {
  const { rowCount } = await database.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
  );
  return rowCount;
};

/** Lets a statement sleep for an hour, and stops the run meanwhile. */
async function expectCancelled(url: string): Promise<void> {
  const pool = openPool(url, 2, { signal: abort.signal });
  const sleeping = withSession(pool, ({ db }) => sql`select pg_sleep(3600)`.execute(db));
  const outcome = expect(sleeping).rejects.toBeInstanceOf(InterruptedError);
  await expect.poll(asleep).toBe(1);
  abort.abort(new InterruptedError('interrupted by a test'));
  await outcome;
  expect(await asleep()).toBe(0);
  // It was cancelled, not cut: the connection is as good as before.
  expect(pool.idleCount).toBe(1);
  await pool.end();
}

test('a signal cancels what the server is doing', async () => {
  await expectCancelled(database.url);
});

test('a signal cancels what the server is doing, also over TLS', async () => {
  const behind = new URL(database.url);
  const front = await startTlsFront(behind.hostname, Number(behind.port));
  const url = new URL(database.url);
  url.host = `localhost:${front.port}`;
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', authorityFile);
  await expectCancelled(url.href);
  expect(front.encrypted()).toBe(2);
  await front.close();
});

test('a pool ends although the server does not close its connections', async () => {
  const proxy = await startSilentProxy(database.url);
  const pool = openPool(proxy.url, 1);
  await withSession(pool, ({ db }) => sql`select 1`.execute(db));
  proxy.fallSilent();
  const removed = new Promise((resolve) => pool.once('remove', resolve));
  await pool.end();
  await removed;
  await proxy.close();
});

test('a statement within its limits is left alone, also where it takes longer than one for a lock may', async () => {
  const pool = openPool(database.url, 1, { limits: { lockTimeoutMs: 50, statementTimeoutMs: 60_000 } });
  const { rows } = await withSession(pool, ({ db }) => sql`select 1 as one, pg_sleep(0.3)`.execute(db));
  expect(rows).toMatchObject([{ one: 1 }]);
  await pool.end();
});

test('a server that does not answer in time is given up, and the next connection may find it well', async () => {
  const proxy = await startSilentProxy(database.url);
  const pool = openPool(proxy.url, 1, { limits: { lockTimeoutMs: 1_000, statementTimeoutMs: 1_000 } });
  await withSession(pool, ({ db }) => sql`select 1`.execute(db));
  proxy.fallSilent();
  await expect(withSession(pool, ({ db }) => sql`select 1`.execute(db))).rejects.toBeInstanceOf(
    SilentDatabaseError,
  );
  proxy.speak();
  await withSession(pool, ({ db }) => sql`select 1`.execute(db));
  await pool.end();
  await proxy.close();
});

test('the last words of a server end no process, also when they come before anybody has the connection', () => {
  const client = new BoundedClient({}, { limits: undefined, signal: undefined });
  expect(() => client.emit('error', new Error('terminating connection'))).not.toThrow();
});
