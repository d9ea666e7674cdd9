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

test('locks of a run that another role holds afterwards stop runs and migrate, which name it', async () => {
  const locks = await locksOfRun('SIGTERM');
  expect(locks).toHaveLength(3);
  const who = `role ${intruder.role} (process ${intruder.pid} of the database server, connected since `;
  for (const lock of locks.filter((each) => !isOfRun(each))) {
    await intruder.take([lock]);
    const { code, stderr } = await installation.run(backfill, { LOCK_TIMEOUT_MS: '300' });
    expect(code).toBe(1);
    expect(stderr).toContain(who);
    expect(stderr).toMatch(
      /holds the lock (that keeps runs and migrations apart|of this organization), and is no run/,
    );
    await intruder.release();
  }
  await intruder.take(locks);
  const migration = await installation.run('migrate', { LOCK_TIMEOUT_MS: '300' });
  expect(migration.code).toBe(4);
  expect(migration.stderr).toContain(who);
  await intruder.release();
  expect((await installation.run(backfill)).code).toBe(0);
});

/** The numbers of runs begin above those of organizations. */
const isOfRun = ({ objid }: SeenLock) => Number(objid) >= 2 ** 30;

test('a run that died is closed, also where another role holds its lock', async () => {
  await intruder.take((await locksOfRun('SIGKILL')).filter(isOfRun));
  expect((await runsByStatus(installation.database.pool)).running).toBe(1);
  expect((await installation.run(backfill)).code).toBe(0);
  expect(await runsByStatus(installation.database.pool)).toEqual({ failed: 1, succeeded: 1 });
});

test('a run whose locks another role takes when its connection is lost ends, and names it', async () => {
  const run = await startHangingRun();
  const { pool } = installation.database;
  // Whoever waits for the lock has it before the run can take it again.
  const taking = intruder.take((await intruder.seen()).filter(({ objid }) => objid === '1'));
  const waiting = async () =>
    (await pool.query(`select from pg_locks where pid = ${intruder.pid} and not granted`)).rowCount;
  await expect.poll(waiting).toBe(1);
  await pool.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and pid <> ${intruder.pid}
       and database = (select oid from pg_database where datname = current_database())`,
  );
  await taking;
  const { code, stderr } = await run.ended;
  expect(code).toBe(1);
  expect(stderr).toContain(`role ${intruder.role} (process ${intruder.pid}`);
  expect((await runsByStatus(pool)).succeeded).toBeUndefined();
});
