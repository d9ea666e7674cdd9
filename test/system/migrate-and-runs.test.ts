import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Installation, install } from '../support/installation.ts';

const backfill = 'backfill --from 2026-01-14 --to 2026-01-15';
const aRun = /run 1 \(backfill, since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)/;
const hurried = { LOCK_TIMEOUT_MS: '300' };

let installation: Installation;
let isHanging: boolean;
let hanging: PromiseWithResolvers<void>;

beforeEach(async () => {
  isHanging = true;
  hanging = Promise.withResolvers();
  installation = await install({
    users: 5,
    fault: ({ number }) => {
      if (!isHanging || number < 3) return undefined;
      hanging.resolve();
      return { kind: 'hang' };
    },
  });
});

afterEach(() => installation[Symbol.asyncDispose]());

/** A backfill that is in the middle of its work, and stays there. */
async function startHangingRun() {
  const run = installation.start(backfill);
  await Promise.race([hanging.promise, run.ended]);
  return run;
}

/** Keeps a view that is to be changed from being changed, until the connection is released. */
async function useView(): Promise<pg.PoolClient> {
  const reader = await installation.database.pool.connect();
  await reader.query(
    `update etl.view_fingerprint set fingerprint = 'another' where file_name = 'tool_usage'`,
  );
  await reader.query('begin; select from bi.tool_usage');
  return reader;
}

async function stopUsingView(reader: pg.PoolClient): Promise<void> {
  await reader.query('rollback');
  reader.release();
}

/** A `migrate` that is in the middle of its work: it waits for somebody who uses a view. */
async function startBlockedMigration() {
  const reader = await useView();
  const migration = installation.start('migrate');
  const waiting = async () =>
    (
      await installation.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rowCount;
  await expect.poll(waiting, { interval: 20 }).toBe(1);
  return { migration, reader };
}

async function hasView(): Promise<boolean> {
  const { rows } = await installation.database.pool.query<{ view: string | null }>(
    `select to_regclass('bi.skill_usage') as view`,
  );
  return rows[0]?.view !== null;
}

test('migrate that waited in vain for a run names it, changes nothing and ends with exit code 4', async () => {
  await installation.database.pool.query('drop view bi.skill_usage');
  const run = await startHangingRun();
  const { code, stderr } = await installation.run('migrate', hurried);
  expect(stderr).toMatch(aRun);
  expect(stderr).toMatch(/waited 0\.3 s.*LOCK_TIMEOUT_MS.*nothing was changed; run migrate again/);
  expect(code).toBe(4);
  expect(await hasView()).toBe(false);

  run.process.kill('SIGTERM');
  expect((await run.ended).code).toBe(1);
  expect((await installation.run('migrate')).code).toBe(0);
  expect(await hasView()).toBe(true);
});

test('migrate goes on as soon as the run that it waits for has ended', async () => {
  const run = await startHangingRun();
  const migration = installation.start('migrate');
  await migration.says('waiting for run 1');
  run.process.kill('SIGTERM');
  await run.ended;
  expect((await migration.ended).code).toBe(0);
});

test('migrate that waits for a run ends at once when it is told to', async () => {
  const run = await startHangingRun();
  const migration = installation.start('migrate');
  await migration.says('waiting for run 1');
  migration.process.kill('SIGTERM');
  const { code, stderr } = await migration.ended;
  expect(code).toBe(1);
  expect(stderr).toContain('interrupted by SIGTERM');
  expect(stderr).not.toContain('did not end in time');
  run.process.kill('SIGTERM');
  await run.ended;
});

test('a run that begins while migrate is at work waits for it, and no longer than LOCK_TIMEOUT_MS', async () => {
  isHanging = false;
  const { migration, reader } = await startBlockedMigration();
  const { code, stderr } = await installation.run(backfill, hurried);
  expect(stderr).toMatch(/migrate is still running.*0\.3 s.*LOCK_TIMEOUT_MS.*nothing was done/);
  expect(code).toBe(4);
  expect(installation.simulator.requests).toEqual([]);
  expect((await installation.database.pool.query('select from etl.run')).rowCount).toBe(0);

  const patient = installation.start(backfill);
  await patient.says('migrate is running on this database');
  await stopUsingView(reader);
  expect((await migration.ended).code).toBe(0);
  expect((await patient.ended).code).toBe(0);
});

test('a run that waited for the migrate of a newer version does not go on', async () => {
  isHanging = false;
  const { migration, reader } = await startBlockedMigration();
  const run = installation.start(backfill);
  await run.says('migrate is running on this database');
  await installation.database.pool.query(`insert into etl.migration values ('9999_from_the_future', now())`);
  await stopUsingView(reader);
  await migration.ended;
  const { code, stderr } = await run.ended;
  expect(code).toBe(2);
  expect(stderr).toContain('9999_from_the_future');
  expect(installation.simulator.requests).toEqual([]);
});

test('migrate waits no longer than LOCK_TIMEOUT_MS for a view that somebody uses', async () => {
  const reader = await useView();
  const { code, stderr } = await installation.run('migrate', hurried);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /waited 0\.3 s.*for a table or view that somebody else uses \(process \d+ \(role \w+\) uses bi\.tool_usage/,
  );
  await stopUsingView(reader);
  expect((await installation.run('migrate')).code).toBe(0);
});

test('migrate drops nothing that others have built on a view unless it is told to', async () => {
  const { pool } = installation.database;
  await pool.query(`
    drop view bi.tool_usage;
    create view bi.tool_usage as select 'of another version' as other_column;
    create view public.of_analysts as select * from bi.tool_usage;
    update etl.view_fingerprint set fingerprint = 'another' where file_name = 'tool_usage'`);
  const refused = await installation.run('migrate');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/nothing was changed.*--drop-dependents/);
  expect(refused.stderr).toContain('view public.of_analysts, which builds on bi.tool_usage');
  expect((await pool.query('select * from public.of_analysts')).rows).toEqual([
    { other_column: 'of another version' },
  ]);
  const { code, stdout } = await installation.run('migrate --drop-dependents --json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    applied: [],
    views_changed: ['tool_usage'],
    dropped: ['view public.of_analysts'],
  });
});

test('migrate names a migration that was edited after it was applied, and ends with exit code 2', async () => {
  await installation.database.pool.query(
    `update etl.migration set checksum = 'of another file' where name = '0007_tokens'`,
  );
  const { code, stderr } = await installation.run('migrate');
  expect(code).toBe(2);
  expect(stderr).toContain('migration 0007_tokens');
  expect((await installation.run('migrate --status')).stdout).toContain('edited   0007_tokens');
});
