/** What a row of each view is, as dbt's tests have it. What dbt makes of the project is in test/bi-tools. */
import { expect, test } from 'vitest';
import { grains } from '../tools/dbt/grains.ts';
import { sharedTestDatabase } from './support/database.ts';

const database = await sharedTestDatabase();

test('a view has a grain, and a grain has a view with its columns', async () => {
  const { rows } = await database.pool.query<{ readonly view: string; readonly columns: string[] }>(
    `select case when relnamespace = 'bi'::regnamespace then '' else 'bi_people.' end || relname as view,
      array_agg(attname::text) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0
    where relnamespace in ('bi'::regnamespace, 'bi_people'::regnamespace) and relkind = 'v'
    group by 1`,
  );
  expect(rows.map(({ view }) => view).sort()).toEqual(Object.keys(grains).sort());
  for (const { view, columns } of rows)
    expect(columns).toEqual(expect.arrayContaining([...(grains[view]?.keys ?? [])]));
});
