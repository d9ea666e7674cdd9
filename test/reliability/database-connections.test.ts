import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { holdTables, programConnections } from '../support/busy-tables.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { install } from '../support/installation.ts';
import { untilQuiet } from '../support/quiet.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';

/** A table of each endpoint: whoever stores a day of any must wait. */
const tables = [
  'fact_token_daily',
  'fact_tool_daily',
  'fact_activity_daily',
  'fact_productivity_daily',
  'fact_user_daily',
];

async function documentedConnections(): Promise<number> {
  const text = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, figure] = /up to (\d+) database connections/.exec(text) ?? [];
  return Number(figure);
}

const sizes: [string, Readonly<Record<string, string>>][] = [
  ['above every bound', { ...tinyBounds, PAGE_SIZE: '5', MAX_CONCURRENCY: '16' }],
  ['within every bound', { MAX_CONCURRENCY: '16' }],
];

test.each(sizes)(
  'a run of slices %s opens no more connections than README.md says, however long the database makes it wait',
  async (_where, environment) => {
    await using installation = await install({ users: 40 });
    const { database, simulator } = installation;
    const busy = await holdTables(database.url, tables);
    try {
      let most = 0;
      const run = loadInProcess(installation, 'backfill --from 2026-01-14 --to 2026-03-31', {
        environment: { ...environment, WINDOW_DAYS: '1', LOCK_TIMEOUT_MS: '600000' },
      });
      const look = async () => {
        const { open, waiting } = await programConnections(database.pool);
        most = Math.max(most, open);
        return waiting;
      };
      await expect.poll(look).toBeGreaterThan(0);
      await untilQuiet(
        () => most + simulator.counts.requests,
        async () => void (await look()),
      );
      await busy.release();
      expect((await run).code).toBe(0);
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(await documentedConnections());
      console.log(`${most} connections at most`);
    } finally {
      await busy.release();
    }
  },
);
