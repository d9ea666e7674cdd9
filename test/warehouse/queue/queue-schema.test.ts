import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { refuseForeignOwners } from '../../../src/warehouse/connection/foreign-owners.ts';
import { withClient } from '../../../src/warehouse/connection/one-client.ts';
import { quickCheckInSql } from '../../../src/warehouse/connection/quick-check.ts';
import { migrate, queueStatus } from '../../../src/warehouse/migrations/migrations.ts';
import { newestQueueMigration, refuseUnusableQueue } from '../../../src/warehouse/queue/queue-schema.ts';
import { createTestDatabase } from '../../support/database.ts';

const run = promisify(execFile);
const library = new URL('../../../src/warehouse/queue/queue-library.ts', import.meta.url).href;

test('the import of the library runs no configuration file of the working directory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-planted-config-'));
  try {
    const trace = join(folder, 'was-run');
    const planted = `require('node:fs').writeFileSync(${JSON.stringify(trace)}, ''); module.exports = { schema: 'planted' };`;
    await writeFile(join(folder, 'graphile-worker.config.cjs'), planted);
    const load = `import(${JSON.stringify(library)}).then(({ loadQueueLibrary }) => loadQueueLibrary()).then(({ runTaskList }) => console.log(typeof runTaskList))`;
    const { stdout } = await run(process.execPath, ['--eval', load], { cwd: folder });
    expect(stdout).toBe('function\n');
    await expect(readFile(trace)).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('migrate makes the queue whole, twice without a change, and nothing in it counts as planted by others', async () => {
  const database = await createTestDatabase();
  try {
    expect(await queueStatus(database.pool)).toEqual({ version: 0, known: newestQueueMigration });
    for (const _ of [1, 2]) {
      const { queue } = await migrate(database.url, { queue: 'needed' });
      expect(queue).toEqual({ version: newestQueueMigration, known: newestQueueMigration });
    }
    const { rows } = await database.pool.query(quickCheckInSql);
    expect(rows).toMatchObject([{ is_odd: false }]);
    await withClient(database.url, async (client) => {
      await refuseUnusableQueue(client, await refuseForeignOwners(client, { isThorough: true }));
    });
    expect(process.exitCode).toBeUndefined();
  } finally {
    await database.drop();
  }
});

test.each([
  [
    'a queue that is missing',
    'drop schema etl_queue cascade',
    /lacks the queue \(schema etl_queue\); run `.*migrate` first/,
  ],
  [
    'an older queue',
    `delete from etl_queue.migrations where id = ${newestQueueMigration}`,
    /has migration 19 of its library, expected 20; run `.*migrate` first/,
  ],
  [
    'a newer queue',
    'insert into etl_queue.migrations (id, breaking) values (999, true)',
    /has migration 999 of its library, expected at most 20: another version of the library has changed it; .*migrate/,
  ],
])('%s is refused with what to do', async (_, change, sentence) => {
  const database = await createTestDatabase();
  try {
    await migrate(database.url, { queue: 'needed' });
    await database.pool.query(change);
    const refused = withClient(database.url, async (client) =>
      refuseUnusableQueue(client, await refuseForeignOwners(client)),
    );
    await expect(refused).rejects.toThrow(sentence);
    if (change.startsWith('insert'))
      await expect(migrate(database.url, { queue: 'if-possible' })).rejects.toThrow(sentence);
    expect(process.exitCode).toBeUndefined();
  } finally {
    await database.drop();
  }
});
