import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect, openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { organizationSubject, schemaSubject, takeUnlessOurs } from '../../src/warehouse/locks/drawn-lock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Intruder, letIn } from '../support/intruder.ts';

const lock = organizationSubject(7);
let database: TestDatabase;
let pool: pg.Pool;
let intruder: Intruder;
let said: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 10);
  intruder = await letIn(database);
  said = [];
});

afterEach(async () => {
  await pool.end();
  await intruder.leave();
  await database.drop();
});

const take = (client: pg.ClientBase) =>
  takeUnlessOurs(client, lock, 'alone', (sentence) => said.push(sentence));

const releaseAll = (client: pg.ClientBase) => client.query('select pg_advisory_unlock_all()');

/** Lets the intruder hold the number that a lock has now. */
async function takeAway({ lockClass, subject }: typeof lock): Promise<void> {
  const { rows } = await database.pool.query<{ classid: string; objid: string }>(
    'select $1::text as classid, lock_number::text as objid from etl.lock_number where subject = $2',
    [lockClass, subject],
  );
  await intruder.take(rows);
}

test('a lock is held by one of ours at a time, under the number that stands in the table', async () => {
  await withSession(pool, async ({ client: first }) => {
    const { isHeld, number } = await take(first);
    expect(isHeld).toBe(true);
    await withSession(pool, async ({ client: second }) => {
      expect(await take(second)).toEqual({ isHeld: false, number });
      expect(await takeUnlessOurs(second, organizationSubject(8), 'alone', () => undefined)).toMatchObject({
        isHeld: true,
      });
    });
    await releaseAll(first);
    expect(await take(first)).toEqual({ isHeld: true, number });
    const { rows } = await pool.query(
      "select lock_number from etl.lock_number where subject = 'organization 7'",
    );
    expect(rows).toEqual([{ lock_number: number }]);
  });
  expect(said).toEqual([]);
});

test('a lock that another role holds is taken under another number, and the role is named', async () => {
  await withSession(pool, async ({ client }) => {
    const before = await take(client);
    await releaseAll(client);
    await takeAway(lock);
    const after = await take(client);
    expect(after.isHeld).toBe(true);
    expect(after.number).not.toBe(before.number);
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(
          `^role ${intruder.role} \\(process ${intruder.pid} of the database server, connected since 20[-:0-9T]+Z\\) holds the lock of this organization`,
        ),
      ),
    ]);
    await withSession(pool, async (other) => expect((await take(other.client)).isHeld).toBe(false));
  });
});

test('a role that writes the ledger, and is a run of ours, keeps its lock', async () => {
  await database.pool.query(`grant usage on schema etl to ${intruder.role}`);
  await withSession(pool, async ({ client }) => {
    const { number } = await take(client);
    await releaseAll(client);
    await takeAway(lock);
    await database.pool.query(`grant update on etl.run to ${intruder.role}`);
    expect(await take(client)).toEqual({ isHeld: false, number });
  });
  await database.pool.query(`drop owned by ${intruder.role}`);
});

test('no two of ours ever hold a lock at once, however often it is taken away from them', async () => {
  const contenders = 6;
  const turns = 10;
  let [holding, most, taken, isOver] = [0, 0, 0, false];
  const contend = async () => {
    const client = await connect(pool);
    for (let turn = 0; turn < turns; ) {
      if (!(await take(client)).isHeld) continue;
      holding += 1;
      most = Math.max(most, holding);
      // Whoever had the number before might come by it now.
      await client.query('select pg_sleep(0.005)');
      holding -= 1;
      await releaseAll(client);
      turn += 1;
    }
    client.release();
  };
  const disturb = async () => {
    while (!isOver) {
      await takeAway(lock);
      taken += 1;
      await intruder.release();
    }
  };
  const disturbing = disturb();
  await Promise.all(Array.from({ length: contenders }, contend));
  isOver = true;
  await disturbing;
  expect(most).toBe(1);
  expect(taken).toBeGreaterThan(0);
  expect(said.length).toBeGreaterThan(0);
});

test('what is shared is shared, and who waits to have it alone keeps nobody of ours out', async () => {
  const share = (client: pg.ClientBase) =>
    takeUnlessOurs(client, schemaSubject, 'shared', (sentence) => said.push(sentence));
  await withSession(pool, async ({ client: first }) => {
    const { number } = await share(first);
    const taking = takeAway(schemaSubject);
    const waiting = async () =>
      (await pool.query(`select from pg_locks where pid = ${intruder.pid} and not granted`)).rowCount;
    await expect.poll(waiting).toBe(1);
    await withSession(pool, async ({ client: second }) => {
      const shared = await share(second);
      expect(shared.isHeld).toBe(true);
      expect(shared.number).not.toBe(number);
      await releaseAll(second);
    });
    await releaseAll(first);
    await taking;
  });
});
