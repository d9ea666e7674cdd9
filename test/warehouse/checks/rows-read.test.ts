/** What checks read must not grow with the other organizations and days of the database. */
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { flattenOf } from '../../../src/flatten/flatten.ts';
import { day } from '../../../src/model/day.ts';
import { isReference, type StoredTable } from '../../../src/model/table.ts';
import { isGrouped } from '../../../src/pipeline/verify/compare-grouped.ts';
import { sources } from '../../../src/sources/registry.ts';
import { readSqlChecks } from '../../../src/warehouse/checks/all-checks.ts';
import { recordComparisons } from '../../../src/warehouse/checks/check-results.ts';
import { compareGrouped } from '../../../src/warehouse/checks/grouped-figures.ts';
import type { SqlCheck } from '../../../src/warehouse/checks/sql-checks.ts';
import { openPool, withSession, withTransaction } from '../../../src/warehouse/connection/connection.ts';
import { openRun } from '../../../src/warehouse/ledger/run-ledger.ts';
import { renewCreditSums } from '../../../src/warehouse/sums/credit-sums.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const range = { from: day('2026-03-01'), to: day('2026-03-03') };
const users = 30;
/** Those that are seen once more or not at all, depending on the plan: the users of the organization, once. */
const fewRows = users;
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

const inDays = (column: string) => column === 'usage_date' || column === 'snapshot_date';

async function connected() {
  const client = await database.pool.connect();
  return {
    query: (text: string, values: unknown[] = []) => client.query(text, values),
    async [Symbol.asyncDispose]() {
      client.release(true);
    },
  };
}

/** Adds rows of an organization to each table: so many a day, or for slices without one as many as they would be in 3 days. */
async function addOrganization(orgKey: number, from: string, to: string): Promise<void> {
  await using client = await connected();
  // Keys need not lead anywhere, and before Postgres 18 they are enforced.
  await client.query('set session_replication_role = replica');
  await client.query('select warehouse.ensure_dates($1::date, $2::date)', [from, to]);
  const days = "generate_series($2::date, $3::date, interval '1 day') as day";
  for (const source of sources) {
    const { tables } = flattenOf(source);
    const scope = Object.entries(source.partitioning.scope);
    const isDaily = scope.some(([column]) => inDays(column));
    for (const table of tables) {
      const columns = [...scope.map(([column]) => column), ...keysOf(table).map(([column]) => column)];
      const values = [
        ...scope.map(([column]) => (inDays(column) ? 'day::date' : "'slice'")),
        ...keysOf(table).map(([, value]) => value),
      ];
      const perDay = table.keys.length === 0 ? 1 : users;
      await client.query(
        `insert into warehouse.${table.name} (org_key, ${columns.join(', ')})
         select $1::integer, ${values.join(', ')} from ${days}, generate_series(1, ${isDaily ? perDay : users}) as n
         where $2::date <= $3::date on conflict do nothing`,
        [orgKey, from, to],
      );
    }
    const counts = Object.fromEntries(tables.map(({ name, keys }) => [name, keys.length === 0 ? 1 : users]));
    await client.query(
      `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, row_count, table_rows, loaded_at)
       select $1, $4::text, ${isDaily ? 'day::date::text, day::date' : "'slice', null"}, 'loaded', $5::integer, $6::jsonb, now()
       from ${isDaily ? days : '(select $2::date, $3::date) as any_days'} on conflict do nothing`,
      [orgKey, from, to, source.name, Object.values(counts)[0], counts],
    );
  }
  await client.query(
    `insert into warehouse.dim_org (org_key, org_id) overriding system value values ($1::integer, 'org_' || $1::integer) on conflict do nothing`,
    [orgKey],
  );
  await client.query(
    `insert into warehouse.dim_user (user_key, org_key, user_id, user_email) overriding system value
     select $1::integer * ${users} + n, $1, 'user_' || n, 'user' || n || '@example.com' from generate_series(1, ${users}) as n
     on conflict do nothing`,
    [orgKey],
  );
  await client.query(
    `insert into warehouse.person_assignment (org_key, user_id, team, valid_from)
     select $1, 'user_' || n, 'team', '2026-01-14' from generate_series(1, ${users}) as n on conflict do nothing`,
    [orgKey],
  );
  // Else there is nothing of them to be compared.
  await client.query(
    'update warehouse.fact_token_user_model_daily set billable_tokens = 1 where org_key = $1',
    [orgKey],
  );
  await renewCreditSums(pool, orgKey, new AbortController().signal);

  function keysOf({ keys }: StoredTable): (readonly [string, string])[] {
    return keys.map((key) => {
      if (isReference(key))
        return [key.column, key.dimension.table === 'dim_user' ? `$1::integer * ${users} + n` : 'n'];
      if (key.type === 'uuid') return [key.column, "lpad(n::text, 32, '0')::uuid"];
      return [key.column, key.type === 'text' ? "'key ' || n" : 'n'];
    });
  }
}

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

async function everyCheck(): Promise<SqlCheck[]> {
  const grouped = sources.filter(isGrouped).map(({ name, grouping }) => ({
    name: `${name}_grouped`,
    comparisons: compareGrouped(
      { endpoint: name, ...grouping },
      {
        days: [],
        groups: [],
        groupsShown: [],
        figures: Object.fromEntries(Object.keys(grouping.figures).map((column) => [column, []])),
      },
    ),
  }));
  return [...grouped, ...(await readSqlChecks(sources))];
}

test('checks of three days of one organization read its rows of these days, whatever else the database holds', async () => {
  await addOrganization(1, range.from, range.to);
  await database.pool.query('analyze');
  const checks = await everyCheck();
  const alone = new Map<string, Map<string, number>>();
  for (const check of checks) alone.set(check.name, await rowsRead(check));
  // Statistics are those of before: nobody has looked at the new rows yet.
  await addOrganization(1, '2026-01-14', '2026-06-30');
  for (const other of [2, 3]) await addOrganization(other, '2026-01-14', '2026-06-30');
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
