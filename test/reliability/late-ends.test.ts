/** A run whose database went away: the process that lived records how it ended, as soon as the database is back. */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { install } from '../support/installation.ts';
import { farSchedule } from '../support/nights.ts';

const line = z.looseObject({ msg: z.string(), run_id: z.number().optional(), status: z.string().optional() });

test.each([
  ['before the next night', '1440'],
  ['at the next try', '0.01'],
])('the ledger says what the log says, %s', { timeout: 120_000 }, async (_when, NIGHT_RETRY_MINUTES) => {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-late-'));
  // Root's tests run the server as another user, who must get through.
  await chmod(directory, 0o711);
  const start = () => startEmbeddedPostgres({ directory, database: 'warehouse', settings: { fsync: 'off' } });
  let server = await start();
  let stop: (() => Promise<void>) | undefined;
  let stopping: Promise<void> | undefined;
  const postmaster = join(server.home, 'server/data/postmaster.pid');
  await using installation = await install({
    users: 5,
    hurries: true,
    fault({ path }) {
      if (path.endsWith('/users') && stop !== undefined) {
        stopping = stop();
        stop = undefined;
      }
      return undefined;
    },
  });
  try {
    await migrate(server.url);
    stop = async () => {
      const [pid] = (await readFile(postmaster, 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGINT');
    };
    const schedule = installation.start('schedule', {
      DATABASE_URL: server.url,
      CRON_SCHEDULE: farSchedule().CRON_SCHEDULE,
      NIGHT_RETRY_MINUTES,
      LOOKBACK_DAYS: '0',
      LOG_FORMAT: 'json',
    });
    await schedule.says('DATABASE_URL: the database cannot be reached now');
    await stopping;
    // Ends this process' use of it, too: what is in use would outlive the test.
    await server.stop();
    server = await start();
    const pool = new pg.Pool({ ...ownNamesOnly, connectionString: server.url });
    try {
      const firstRun = async () => {
        const { rows } = await pool.query('select status, error from etl.run where run_id = 1');
        return rows[0];
      };
      await expect
        .poll(firstRun, { interval: 100, timeout: 60_000 })
        .not.toMatchObject({ status: 'running' });
      const recorded = await firstRun();
      expect(recorded).toMatchObject({
        error: expect.stringMatching(
          /^the database connection was lost .*DATABASE_URL: the database cannot be/,
        ),
      });
      schedule.process.kill('SIGTERM');
      const { code, stderr } = await schedule.ended;
      expect(code).toBe(0);
      const lines = stderr
        .trim()
        .split('\n')
        .map((text) => line.parse(JSON.parse(text)));
      expect(lines.find(({ msg }) => msg === 'nightly ended')).toMatchObject({
        run_id: 1,
        status: recorded?.status,
      });
      expect(lines.map(({ msg }) => msg)).toContain(recorded?.error);
      expect(stderr).not.toContain('closed runs of processes that died');
    } finally {
      await pool.end();
    }
  } finally {
    await server.stop();
    await rm(server.home, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  }
});
