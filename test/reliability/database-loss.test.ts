import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { WarehouseError } from '../../src/model/errors.ts';
import type { RunReport } from '../../src/model/run-report.ts';
import { defaultTiming } from '../../src/model/timing.ts';
import { RandomStream } from '../../src/simulator/random.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { type Installation, install } from '../support/installation.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads, runsByStatus } from './database-condition.ts';
import { backfillInProcess } from './in-process-backfill.ts';
import { randomTest } from './random-test.ts';
import { restate } from './restatements.ts';

const range = { from: '2026-01-14', to: '2026-01-25' };
const restarts = randomTest('USAGE_ETL_RESTARTS', {
  file: 'database-loss',
  count: 20,
  seed: 7,
  timeoutMs: 300_000,
});

/** Calls `lose` when a request of the given number arrives: then the run is in the middle of something. */
function lossAt() {
  let loss: { atRequest: number; lose: () => void } | undefined;
  let sinceArmed = 0;
  return {
    arm(atRequest: number, lose: () => void) {
      sinceArmed = 0;
      loss = { atRequest, lose };
    },
    fault() {
      sinceArmed += 1;
      if (sinceArmed === loss?.atRequest) loss.lose();
      return undefined;
    },
  };
}

function expectSentence({ stoppedBy, failures }: RunReport): void {
  if (stoppedBy !== undefined) expect(stoppedBy).toBeInstanceOf(WarehouseError);
  for (const { reason } of failures) expect(reason).not.toContain('    at ');
}

test(`a database that drops all connections, ${restarts.count} times, delays runs and spoils nothing`, {
  timeout: restarts.timeoutMs,
}, async ({ onTestFailed }) => {
  onTestFailed(restarts.tellHowToRepeat);
  const trigger = lossAt();
  await using installation = await install({ users: 25, fault: trigger.fault });
  const { pool, url } = installation.database;
  const random = new RandomStream(restarts.seed);
  let [losses, cut] = [0, 0];
  const lose = async () => {
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'usage-etl'`,
    );
    losses += 1;
    cut += rowCount ?? 0;
  };
  const outcomes: Record<string, number> = {};
  while (losses < restarts.count) {
    restate(installation, range, random, 8);
    const pending: Promise<void>[] = [];
    trigger.arm(random.between(1, 30), () => void pending.push(lose()));
    const environment = { ...installation.environment, DATABASE_URL: url, WINDOW_DAYS: '3' };
    const report = await backfillInProcess({ ...range, environment, force: true });
    await Promise.all(pending);
    expectSentence(report);
    outcomes[report.summary.status] = (outcomes[report.summary.status] ?? 0) + 1;
  }
  const repair = await backfillInProcess({ ...range, environment: installation.environment, force: true });
  expect(repair.summary.status).toBe('succeeded');
  await expectNoLockLeft(pool);
  expect((await runsByStatus(pool)).running).toBeUndefined();
  await expectWarehouseEqualsPayloads(installation, range);
  console.log(
    `${losses} losses of ${cut} connections, runs ${JSON.stringify(outcomes)}, warehouse equal (seed ${restarts.seed})`,
  );
});

test('a database is waited for longer than a restart takes, and given up well within half a minute', () => {
  const longestMs = defaultTiming.reconnectWaitsMs.reduce((sum, waitMs) => sum + waitMs, 0);
  expect(longestMs).toBeGreaterThan(10_000);
  expect(longestMs).toBeLessThan(15_000);
});

describe('a server of its own', () => {
  let directory = '';
  let server: EmbeddedPostgres;
  let installation: Installation;
  const trigger = lossAt();
  // Committed is committed, also when the server crashes.
  const settings = { fsync: 'off', synchronous_commit: 'on' };
  const start = () => startEmbeddedPostgres({ directory, database: 'warehouse', settings });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'usage-etl-loss-'));
    await chmod(directory, 0o711);
    server = await start();
    await migrate(server.url);
    installation = await install({ users: 25, hurries: true, fault: trigger.fault });
  });
  afterAll(async () => {
    await installation[Symbol.asyncDispose]();
    await server.stop();
    await rm(server.home, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  });

  /** What `pg_ctl stop` sends: SIGINT for `-m fast`, SIGQUIT for `-m immediate`. */
  async function stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const [pid] = (await readFile(join(server.home, 'server/data/postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), signal);
  }

  test(`that restarts ${restarts.count} times, in order or after a crash, delays runs and spoils nothing`, {
    timeout: restarts.timeoutMs,
  }, async ({ onTestFailed }) => {
    onTestFailed(restarts.tellHowToRepeat);
    const random = new RandomStream(restarts.seed + 1);
    const environment = { ...installation.environment, DATABASE_URL: server.url, WINDOW_DAYS: '3' };
    const outcomes: Record<string, number> = {};
    let restarted = 0;
    for (let round = 0; round < restarts.count; round++) {
      const signal = round % 2 === 0 ? 'SIGINT' : 'SIGQUIT';
      restate(installation, range, random, 8);
      let restarting: Promise<void> | undefined;
      trigger.arm(random.between(1, 30), () => {
        restarting = stop(signal)
          .then(start)
          .then((again) => {
            restarted += 1;
            expect(again.url).toBe(server.url);
          });
      });
      const report = await backfillInProcess({ ...range, environment, force: true });
      await restarting;
      expectSentence(report);
      outcomes[report.summary.status] = (outcomes[report.summary.status] ?? 0) + 1;
    }
    const repair = await backfillInProcess({ ...range, environment, force: true });
    expect(repair.summary.status).toBe('succeeded');
    const pool = new pg.Pool({ ...ownNamesOnly, connectionString: server.url });
    try {
      expect((await runsByStatus(pool)).running).toBeUndefined();
      await expectNoLockLeft(pool);
      await expectWarehouseEqualsPayloads(
        { ...installation, database: { ...installation.database, pool } },
        range,
      );
    } finally {
      await pool.end();
    }
    expect(restarted).toBe(restarts.count);
    console.log(
      `${restarted} restarts, runs ${JSON.stringify(outcomes)}, warehouse equal (seed ${restarts.seed})`,
    );
  });

  test('that stays away ends the program with a sentence, once it was waited for', async () => {
    trigger.arm(10, () => void stop('SIGINT'));
    const command = `backfill --force --from ${range.from} --to ${range.to}`;
    const ended = await installation.run(command, { DATABASE_URL: server.url, LOG_LEVEL: 'silent' });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^usage-etl: the database connection was lost and could not be made again/m);
    expect(ended.stderr).not.toContain('    at ');

    server = await start();
    const environment = { ...installation.environment, DATABASE_URL: server.url };
    const repair = await backfillInProcess({ ...range, environment, force: true });
    expect(repair.summary.status).toBe('succeeded');
  });
});
