/** A copy of the warehouse by logical replication, made as docs/operations.md says. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { day } from '../../src/model/day.ts';
import { createTestDatabase } from '../support/database.ts';
import { repository } from '../support/embedded-tests.ts';
import { install } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

/** The chapter's statements: what is done in the warehouse, and what in the copy. */
async function documented(): Promise<readonly string[]> {
  const text = await readFile(join(repository, 'docs/operations.md'), 'utf8');
  const [, chapter = ''] = text.split('\n## Logical replication');
  const [ofChapter = ''] = chapter.split('\n## ');
  return [...ofChapter.matchAll(/```sql\n(.*?)```/gs)].map(([, statements = '']) => statements);
}

test('a copy made as the documents say has every row of the warehouse, and follows it', async (context) => {
  await using installation = await install({ users: 10 });
  const { database, dataset, load } = installation;
  const { rows } = await database.pool.query<{ wal_level: string }>('show wal_level');
  if (rows[0]?.wal_level !== 'logical')
    context.skip('the server does not write what logical replication takes');
  expect((await load('backfill --from 2026-01-14 --to 2026-01-15')).code).toBe(0);

  const [inWarehouse = '', inCopy = ''] = await documented();
  const copy = await createTestDatabase();
  const slot = `copy_of_${new URL(database.url).pathname.slice(1)}`;
  try {
    await database.pool.query(inWarehouse);
    // Both databases are of one server, where the subscription cannot make its own slot.
    await database.pool.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [slot]);
    const subscribe = inCopy
      .replace("'host=… dbname=… user=…'", `'${database.url}'`)
      .replace(/;\s*$/, ` with (create_slot = false, slot_name = '${slot}')`);
    for (const statement of subscribe.split(/(?<=end \$\$;)/)) await copy.pool.query(statement);
    const isAlike = async () =>
      expect(await storedWarehouse(copy.pool)).toEqual(await storedWarehouse(database.pool));
    await vi.waitFor(isAlike, { timeout: 90_000, interval: 200 });

    changeRows(dataset, 'tools', day('2026-01-15'), (row) => ({ ...row, tool_calls: 12_345 }));
    expect((await load('nightly --date 2026-01-15')).code).toBe(0);
    await vi.waitFor(isAlike, { timeout: 30_000, interval: 200 });
    const shown = await copy.pool.query('select max(tool_calls)::int as calls from bi.daily_overview');
    expect(shown.rows).toEqual([{ calls: 12_345 }]);
  } finally {
    await copy.pool.query('alter subscription usage disable').catch(() => undefined);
    await copy.pool.query('alter subscription usage set (slot_name = none)').catch(() => undefined);
    await copy.pool.query('drop subscription if exists usage').catch(() => undefined);
    await copy.drop();
    await vi.waitFor(() => database.pool.query('select pg_drop_replication_slot($1)', [slot]), 10_000);
  }
}, 150_000);
