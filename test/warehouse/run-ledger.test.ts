import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPool, type Session, withSession } from '../../src/warehouse/connection/connection.ts';
import { closeDeadRuns, closeRun, openRun } from '../../src/warehouse/ledger/run-ledger.ts';
import { unlockRun } from '../../src/warehouse/locks/run-locks.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const openers = 6;
const closers = 6;
const runsOfOpener = 50;
const noFigures = {
  requests: 0,
  retries: 0,
  rowsRead: 0,
  rowsInserted: 0,
  rowsUpdated: 0,
  rowsDeleted: 0,
  rowsRejected: 0,
};

let database: TestDatabase;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, openers + closers + 1);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

const open = (session: Session) => openRun(session, 'test', {}, 'test');

async function statuses(): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ status: string; runs: number }>(
    'select status, count(*)::integer as runs from etl.run group by status',
  );
  return Object.fromEntries(rows.map(({ status, runs }) => [status, runs]));
}

async function heldLocks(): Promise<number> {
  const { rowCount } = await database.pool.query(
    `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
     where locktype = 'advisory' and datname = current_database()`,
  );
  return rowCount ?? 0;
}

/** Works on a connection of its own, which is gone afterwards: as one that is lost, or as a process that died. */
async function onMortalConnection<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const mortal = openPool(database.url, 1);
  try {
    return await withSession(mortal, work);
  } finally {
    await mortal.end();
    // The server may need a moment more to see that the connection is gone.
    await expect.poll(heldLocks, { interval: 5 }).toBe(0);
  }
}

describe('a living run', () => {
  test('is never taken for dead, however many look for dead runs while it is opened', async () => {
    let isOpening = true;
    const taken: string[] = [];
    const looking = Array.from({ length: closers }, () =>
      withSession(pool, async ({ db }) => {
        while (isOpening) taken.push(...(await closeDeadRuns(db)));
      }),
    );
    const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
    const opened: Promise<void>[] = [];
    const living = Array.from({ length: openers }, () =>
      withSession(pool, async (session) => {
        const opening = (async () => {
          for (let run = 0; run < runsOfOpener; run++) await open(session);
        })();
        opened.push(opening);
        await opening;
        // Their locks live as long as this connection.
        await end;
      }),
    );
    await expect.poll(() => opened.length).toBe(openers);
    await Promise.all(opened);
    isOpening = false;
    await Promise.all(looking);
    endAll();
    await Promise.all(living);
    expect(taken).toHaveLength(0);
    expect(await statuses()).toEqual({ running: openers * runsOfOpener });
  });

  test('is closed when its connection is gone, and not before', async () => {
    const runId = await onMortalConnection(async (session) => {
      const opened = await open(session);
      expect(await withSession(pool, ({ db }) => closeDeadRuns(db))).toEqual([]);
      return opened;
    });
    expect(await withSession(pool, ({ db }) => closeDeadRuns(db))).toEqual([runId]);
    expect(await statuses()).toEqual({ failed: 1 });
  });

  test('keeps its own end, when others look for dead runs at that moment', async () => {
    await withSession(pool, async (session) => {
      const runId = await open(session);
      await session.db.transaction().execute(async (db) => {
        await closeRun({ db }, runId, 'succeeded', noFigures, null);
        await unlockRun(session.client, runId);
        // Its lock is free, and nobody else sees yet that it has ended.
        expect(await heldLocks()).toBe(0);
        expect(await withSession(pool, (other) => closeDeadRuns(other.db))).toEqual([]);
      });
    });
    expect(await statuses()).toEqual({ succeeded: 1 });
    expect(await heldLocks()).toBe(0);
  });

  test('may be one of more than two thousand million', async () => {
    await database.pool.query(`select setval(pg_get_serial_sequence('etl.run', 'run_id'), 5000000000)`);
    const runId = await onMortalConnection(async (session) => {
      const closed = await open(session);
      await closeRun(session, closed, 'succeeded', noFigures, null);
      const opened = await open(session);
      expect(await withSession(pool, ({ db }) => closeDeadRuns(db))).toEqual([]);
      return opened;
    });
    expect(runId).toBe('5000000002');
    expect(await withSession(pool, ({ db }) => closeDeadRuns(db))).toEqual([runId]);
    expect(await statuses()).toEqual({ succeeded: 1, failed: 1 });
  });
});
