/** Rows of organizations in every table, and every check, to see how much a question about one of them reads. */
import type pg from 'pg';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { isReference, type StoredTable } from '../../src/model/table.ts';
import { isGrouped } from '../../src/pipeline/verify/compare-grouped.ts';
import { sources } from '../../src/sources/registry.ts';
import { readSqlChecks } from '../../src/warehouse/checks/all-checks.ts';
import { compareGrouped } from '../../src/warehouse/checks/grouped-figures.ts';
import type { SqlCheck } from '../../src/warehouse/checks/sql-checks.ts';
import { renewCreditSums } from '../../src/warehouse/sums/credit-sums.ts';

/** Users of each organization. */
export const usersOfEach = 30;

const inDays = (column: string) => column === 'usage_date' || column === 'snapshot_date';

/** Adds rows of an organization to each table: so many a day, or for slices without one as many as they would be in 3 days. */
export async function addOrganization(
  pool: pg.Pool,
  orgKey: number,
  from: string,
  to: string,
): Promise<void> {
  await using client = await connected(pool);
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
      const perDay = table.keys.length === 0 ? 1 : usersOfEach;
      await client.query(
        `insert into warehouse.${table.name} (org_key, ${columns.join(', ')})
         select $1::integer, ${values.join(', ')} from ${days}, generate_series(1, ${isDaily ? perDay : usersOfEach}) as n
         where $2::date <= $3::date on conflict do nothing`,
        [orgKey, from, to],
      );
    }
    const counts = Object.fromEntries(
      tables.map(({ name, keys }) => [name, keys.length === 0 ? 1 : usersOfEach]),
    );
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
     select $1::integer * ${usersOfEach} + n, $1, 'user_' || n, 'user' || n || '@example.com' from generate_series(1, ${usersOfEach}) as n
     on conflict do nothing`,
    [orgKey],
  );
  for (const [dimension, text] of [
    ['computer', 'computer_id'],
    ['repository', 'repo_url'],
  ])
    await client.query(
      `insert into warehouse.dim_${dimension} (org_key, ${text})
       select $1, '${dimension}_' || n from generate_series(1, ${usersOfEach}) as n on conflict do nothing`,
      [orgKey],
    );
  await client.query(
    `insert into warehouse.person_assignment (org_key, user_id, team, valid_from)
     select $1, 'user_' || n, 'team', '2026-01-14' from generate_series(1, ${usersOfEach}) as n on conflict do nothing`,
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
      if (!isReference(key)) {
        if (key.type === 'uuid') return [key.column, "lpad(n::text, 32, '0')::uuid"];
        return [key.column, key.type === 'text' ? "'key ' || n" : 'n'];
      }
      if (key.dimension.table === 'dim_user') return [key.column, `$1::integer * ${usersOfEach} + n`];
      // All users have one model, so that facts are many more than their sums by team.
      return [key.column, key.dimension.table === 'dim_model' && keys.length > 1 ? '1' : 'n'];
    });
  }
}

/** The checks that Postgres makes, and the comparisons with groups of the platform. */
export async function everyCheck(): Promise<SqlCheck[]> {
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

async function connected(pool: pg.Pool) {
  const client = await pool.connect();
  return {
    query: (text: string, values: unknown[] = []) => client.query(text, values),
    async [Symbol.asyncDispose]() {
      client.release(true);
    },
  };
}
