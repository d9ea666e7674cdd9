/** After a large load the planner knows the tables, whether autovacuum has looked at them or not. */
import { afterAll, expect, test } from 'vitest';
import { openPool } from '../../../src/warehouse/connection/connection.ts';
import { analyzeGrown } from '../../../src/warehouse/load/analyze-grown.ts';
import { sharedTestDatabase } from '../../support/database.ts';

const database = await sharedTestDatabase();
const pool = openPool(database.url, 1);
afterAll(() => pool.end());

async function insertRuns(count: number): Promise<void> {
  await pool.query(
    `insert into etl.run (job, status) select 'nightly', 'succeeded' from generate_series(1, $1::integer)`,
    [count],
  );
  await pool.query('select pg_stat_force_next_flush()');
}

test('tables that have grown much are analyzed, once, and others are not', async () => {
  await pool.query('alter table etl.run set (autovacuum_enabled = false)');
  await insertRuns(1_000);
  expect(await analyzeGrown(pool)).toEqual([]);
  await insertRuns(60_000);
  expect(await analyzeGrown(pool)).toEqual(['etl.run']);
  const { rows } = await pool.query(
    `select reltuples::integer as rows from pg_class where oid = 'etl.run'::regclass`,
  );
  expect(rows).toEqual([{ rows: 61_000 }]);
  expect(await analyzeGrown(pool)).toEqual([]);
});
