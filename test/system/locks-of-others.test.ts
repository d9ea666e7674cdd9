import { afterEach, beforeEach, expect, test } from 'vitest';
import { runsByStatus } from '../reliability/database-condition.ts';
import { type Installation, install } from '../support/installation.ts';
import { type Intruder, letIn, type SeenLock } from '../support/intruder.ts';

const backfill = 'backfill --from 2026-01-14 --to 2026-01-15';

let installation: Installation;
let intruder: Intruder;
let hangingRequest: number | undefined;
let hanging: PromiseWithResolvers<void>;

beforeEach(async () => {
  hangingRequest = undefined;
  hanging = Promise.withResolvers();
  installation = await install({
    users: 5,
    fault: ({ number }) => {
      if (hangingRequest === undefined || number < hangingRequest) return undefined;
      hanging.resolve();
      return { kind: 'hang' };
    },
  });
  intruder = await letIn(installation.database);
});

afterEach(async () => {
  await intruder.leave();
  await installation[Symbol.asyncDispose]();
});

/** A run in the middle of its work. */
async function startHangingRun() {
  hangingRequest = installation.simulator.counts.requests + 3;
  const run = installation.start(backfill);
  await Promise.race([hanging.promise, run.ended]);
  hangingRequest = undefined;
  return run;
}

/** The locks of a run, which has ended. */
async function locksOfRun(signal: NodeJS.Signals): Promise<SeenLock[]> {
  const run = await startHangingRun();
  const locks = await intruder.seen();
  run.process.kill(signal);
  await run.ended;
  return locks;
}

test('locks of a run that another role holds afterwards stop neither runs nor migrate, and are named', async () => {
  const locks = await locksOfRun('SIGTERM');
  expect(locks).toHaveLength(3);
  await intruder.take(locks);
  const { code, stderr } = await installation.run(backfill);
  expect(code, stderr).toBe(0);
  const who = `role ${intruder.role} (process ${intruder.pid} of the database server, connected since `;
  for (const what of ['the lock that keeps runs and migrations apart', 'the lock of this organization'])
    expect(stderr).toMatch(new RegExp(`${who.replace('(', '\\(')}[^)]*\\) holds ${what}`));

  await intruder.take(await schemaLock());
  const migration = await installation.run('migrate');
  expect(migration.code, migration.stderr).toBe(0);
  expect(migration.stderr).toContain(who);
});

/** The lock that the next one who works on the schema asks for. */
async function schemaLock(): Promise<SeenLock[]> {
  const { rows } = await installation.database.pool.query<SeenLock>(
    `select '1970496884' as classid, lock_number::text as objid from etl.lock_number where subject = 'schema'`,
  );
  return rows;
}

test('a run that died is closed, also where another role holds its lock', async () => {
  await intruder.take(await locksOfRun('SIGKILL'));
  expect((await runsByStatus(installation.database.pool)).running).toBe(1);
  expect((await installation.run(backfill)).code).toBe(0);
  expect(await runsByStatus(installation.database.pool)).toEqual({ failed: 1, succeeded: 1 });
});

test('a run goes on whose locks another role takes when its connection is lost', async () => {
  const run = await startHangingRun();
  const { pool } = installation.database;
  const taking = intruder.take(await intruder.seen());
  const waiting = async () =>
    (await pool.query(`select from pg_locks where pid = ${intruder.pid} and not granted`)).rowCount;
  await expect.poll(waiting).toBe(1);
  await pool.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and pid <> ${intruder.pid}
       and database = (select oid from pg_database where datname = current_database())`,
  );
  await taking;
  await run.says('made again');
  expect((await installation.run(backfill)).code).toBe(4);
  expect((await runsByStatus(pool)).running).toBe(1);
  run.process.kill('SIGTERM');
  await run.ended;
});

test('migrate waits for a run that holds a number given up since', async () => {
  const run = await startHangingRun();
  // He waits to have it alone; who comes next draws another number.
  const taking = intruder.take(await schemaLock());
  const { pool } = installation.database;
  const waiting = async () =>
    (await pool.query(`select from pg_locks where pid = ${intruder.pid} and not granted`)).rowCount;
  await expect.poll(waiting).toBe(1);
  expect((await installation.run('verify --from 2026-01-14 --to 2026-01-14')).stderr).toContain(
    intruder.role,
  );
  const { code, stderr } = await installation.run('migrate', { LOCK_TIMEOUT_MS: '300' });
  expect(code).toBe(4);
  expect(stderr).toMatch(/migrate waited 0\.3 s.*for run 1 \(backfill, since/);
  run.process.kill('SIGTERM');
  await run.ended;
  await taking;
  expect((await installation.run('migrate', { LOCK_TIMEOUT_MS: '300' })).code).toBe(0);
});
