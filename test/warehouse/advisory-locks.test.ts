import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { lockOrganization } from '../../src/warehouse/locks/organization-lock.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Intruder, letIn } from '../support/intruder.ts';

let database: TestDatabase;
let pool: pg.Pool;
let intruder: Intruder;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 3);
  intruder = await letIn(database);
});

afterEach(async () => {
  await pool.end();
  await intruder.leave();
  await database.drop();
});

const lock = (client: pg.ClientBase) => lockOrganization(client, 7);

/** The lock of the organization, as `pg_locks` shows it. */
async function seenLock() {
  const { rows } = await database.pool.query<{ classid: string; objid: string }>(
    "select lock_number::text as classid, '7' as objid from etl.lock_number",
  );
  return rows;
}

test('a lock is held by one of ours at a time, and that of another organization goes beside it', async () => {
  await withSession(pool, async ({ client: first }) => {
    expect(await lock(first)).toBe(true);
    await withSession(pool, async ({ client: second }) => {
      expect(await lock(second)).toBe(false);
      expect(await lockOrganization(second, 8)).toBe(true);
      await first.query('select pg_advisory_unlock_all()');
      expect(await lock(second)).toBe(true);
    });
  });
});

test('who holds a lock of ours and is no run of ours is named', async () => {
  await intruder.take(await seenLock());
  await withSession(pool, async ({ client }) => {
    await expect(lock(client)).rejects.toThrow(
      new RegExp(
        `^role ${intruder.role} \\(process ${intruder.pid} of the database server, connected since 20[-:0-9T]+Z\\) holds the lock of this organization.*let that session end`,
      ),
    );
    await intruder.release();
    expect(await lock(client)).toBe(true);
  });
});

test('a role that writes the ledger, and is a run of ours, keeps its lock', async () => {
  await intruder.take(await seenLock());
  await database.pool.query(
    `grant usage on schema etl to ${intruder.role}; grant update on etl.run to ${intruder.role}`,
  );
  await withSession(pool, async ({ client }) => expect(await lock(client)).toBe(false));
  await database.pool.query(`drop owned by ${intruder.role}`);
});

test('each database has a number of its own, and even with the same one they keep nobody from another', async () => {
  const [copy, other] = await Promise.all([createTestDatabase(), createEmptyDatabase()]);
  await migrate(other.url);
  const copied = openPool(copy.url, 1);
  try {
    const { rows } = await other.pool.query(
      "select lock_number::text as classid, '7' as objid from etl.lock_number",
    );
    expect(rows).not.toEqual(await seenLock());
    await withSession(pool, async ({ client }) => {
      expect(await lock(client)).toBe(true);
      await withSession(copied, async (beside) => expect(await lock(beside.client)).toBe(true));
    });
  } finally {
    await copied.end();
    await copy.drop();
    await other.drop();
  }
});
