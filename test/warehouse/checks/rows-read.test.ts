/** What checks read must not grow with the other organizations and days of the database. */
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { recordComparisons } from '../../../src/warehouse/checks/check-results.ts';
import type { SqlCheck } from '../../../src/warehouse/checks/sql-checks.ts';
import { openPool, withSession, withTransaction } from '../../../src/warehouse/connection/connection.ts';
import { openRun } from '../../../src/warehouse/ledger/run-ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addOrganization, everyCheck, usersOfEach } from '../../support/organization-rows.ts';

const range = { from: day('2026-03-01'), to: day('2026-03-03') };
/** Those that are seen once more or not at all, depending on the plan: the users of the organization, once. */
const fewRows = usersOfEach;
let database: TestDatabase;
let pool: pg.Pool;
let runId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 2);
  runId = await withSession(pool, (session) => openRun(session, 'verify', {}, 'test'));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Rows that a check reads of each table, by scan and by index. */
async function rowsRead({ name, comparisons }: SqlCheck): Promise<Map<string, number>> {
  return await withTransaction(pool, async (session) => {
    const readSoFar = async () => {
      // Also of what this connection did before.
      const { rows } = await session.client.query<{ name: string; read: string }>(
        `select relname as name, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
         from pg_stat_xact_user_tables where schemaname in ('warehouse', 'etl')`,
      );
      return new Map(rows.map((row) => [row.name, Number(row.read)]));
    };
    const before = await readSoFar();
    await recordComparisons(session, { runId, orgKey: 1, range, name }, comparisons);
    return new Map([...(await readSoFar())].map(([table, read]) => [table, read - (before.get(table) ?? 0)]));
  });
}

test('checks of three days of one organization read its rows of these days, whatever else the database holds', async () => {
  await addOrganization(pool, 1, range.from, range.to);
  await database.pool.query('analyze');
  const checks = await everyCheck();
  const alone = new Map<string, Map<string, number>>();
  for (const check of checks) alone.set(check.name, await rowsRead(check));
  // Statistics are those of before: nobody has looked at the new rows yet.
  await addOrganization(pool, 1, '2026-01-14', '2026-06-30');
  for (const other of [2, 3]) await addOrganization(pool, other, '2026-01-14', '2026-06-30');
  const tooMany: string[] = [];
  for (const statistics of ['old', 'new']) {
    if (statistics === 'new') await database.pool.query('analyze');
    for (const check of checks)
      for (const [table, read] of await rowsRead(check)) {
        const before = alone.get(check.name)?.get(table) ?? 0;
        if (read > before + fewRows)
          tooMany.push(
            `${check.name} reads ${read} rows of ${table} instead of ${before}, with ${statistics} statistics`,
          );
      }
  }
  expect(tooMany).toEqual([]);
});
