import { expect, test } from 'vitest';
import { holdTables, programConnections } from '../support/busy-tables.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads, runsByStatus } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-20' };
const backfill = `backfill --from ${range.from} --to ${range.to}`;

interface HeldLock {
  readonly pid: number;
  /** Two halves of the lock's number. */
  readonly classid: string;
  readonly objid: string;
}

/** The locks of a run and of its organization that somebody holds; the one that `migrate` waits for is of one number. */
async function heldLocks({ database }: Installation): Promise<HeldLock[]> {
  const { rows } = await database.pool.query<HeldLock>(
    `select pid, classid::text, objid::text from pg_locks
     where locktype = 'advisory' and granted and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())
     order by classid, objid`,
  );
  return rows;
}

const namesOf = (locks: readonly HeldLock[]) => locks.map(({ classid, objid }) => `${classid} ${objid}`);

async function breakConnections({ database }: Installation, locks: readonly HeldLock[]): Promise<void> {
  for (const pid of new Set(locks.map((lock) => lock.pid)))
    await database.pool.query('select pg_terminate_backend($1)', [pid]);
}

test('a run whose locks are lost with their connection takes them again, and still nobody runs beside it', async () => {
  await using installation = await install({ users: 100 });
  const { database } = installation;
  const busy = await holdTables(database.url, ['fact_user_daily']);
  try {
    const run = loadInProcess(installation, backfill, { environment: tinyBounds });
    await expect.poll(async () => (await programConnections(database.pool)).waiting).toBeGreaterThan(0);
    const before = await heldLocks(installation);
    expect(before.length).toBeGreaterThan(1);
    await breakConnections(installation, before);

    const pids = new Set(before.map(({ pid }) => pid));
    const heldByOthers = async () =>
      namesOf((await heldLocks(installation)).filter(({ pid }) => !pids.has(pid)));
    await expect.poll(heldByOthers).toEqual(namesOf(before));
    for (const command of [backfill, `nightly --date ${range.to}`, 'replay'])
      expect((await commandInProcess(installation, command)).code).toBe(4);

    await busy.release();
    const { code, summary } = await run;
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { planned: 35, failed: 0 } });
    expect(await runsByStatus(database.pool)).toMatchObject({ succeeded: 1 });
    await expectWarehouseEqualsPayloads(installation, range);
    await expectNoLockLeft(database.pool);
  } finally {
    await busy.release();
  }
});

test('a run that has ended holds no lock any more, however late the server hears that its connections are closed', async () => {
  await using installation = await install({ users: 5 });
  const { pool, url } = installation.database;
  const goodbye = 'X'.charCodeAt(0);
  const proxy = await startPostgresProxy(url, {
    fromClient: (bytes, { upstream }) => void (bytes[0] === goodbye || upstream.write(bytes)),
    fromServer: (bytes, { client }) => void client.write(bytes),
    lingers: true,
  });
  try {
    const environment = { DATABASE_URL: proxy.url };
    expect((await loadInProcess(installation, backfill, { environment })).code).toBe(0);
    expect((await programConnections(pool)).open).toBeGreaterThan(0);
    expect(await heldLocks(installation)).toEqual([]);
    expect((await loadInProcess(installation, backfill)).code).toBe(0);
  } finally {
    await proxy.close();
  }
});
