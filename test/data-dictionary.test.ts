/** What comments say of the views; the data dictionary is made of them. */
import { expect, test } from 'vitest';
import { attributes } from '../src/model/attributes.ts';
import { measures } from '../src/model/measures.ts';
import { sharedTestDatabase } from './support/database.ts';

const database = await sharedTestDatabase();

interface Column {
  readonly view: string;
  readonly name: string;
  readonly type: string;
  readonly comment: string | null;
}

async function columns(): Promise<Column[]> {
  const { rows } = await database.pool.query<Column>(
    `select attrelid::regclass::text as view, attname as name, format_type(atttypid, null) as type,
      col_description(attrelid, attnum) as comment
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace in ('bi'::regnamespace, 'bi_people'::regnamespace) and relkind = 'v' and attnum > 0`,
  );
  return rows;
}

test('every view and column has a comment', async () => {
  expect((await columns()).filter(({ comment }) => comment === null)).toEqual([]);
  const { rows } = await database.pool.query(
    `select oid::regclass from pg_class
    where relkind in ('r', 'v') and obj_description(oid, 'pg_class') is null
      and relnamespace in ('bi'::regnamespace, 'bi_people'::regnamespace, 'warehouse'::regnamespace)`,
  );
  expect(rows).toEqual([]);
});

test('the comment of what cannot be added says so', async () => {
  const risky = /active_users$|^web_users$|^mcp_users$|_avg$|_p50$|_p90$|ratio$|^stickiness$|^share/;
  const found = (await columns()).filter(({ name }) => risky.test(name));
  expect(found.length).toBeGreaterThan(20);
  for (const { view, name, comment } of found) expect(comment, `${view}.${name}`).toContain('additive');
});

test('the catalog of measures describes no column that is in no view', async () => {
  const names = new Set((await columns()).map(({ name }) => name));
  const known = [...Object.keys(measures), ...Object.keys(attributes)].filter((name) => !name.includes('.'));
  expect(known.filter((name) => !names.has(name))).toEqual([]);
});

test('comments follow the catalog, and are left alone where a file has its own', async () => {
  await database.pool.query("comment on column bi.daily_overview.credits is 'another'");
  const { migrate } = await import('../src/warehouse/migrations/migrations.ts');
  await migrate(database.url);
  const after = (await columns()).find(
    ({ view, name }) => view === 'bi.daily_overview' && name === 'credits',
  );
  expect(after?.comment).toBe('Standard Credits consumed. Unit: credits. Additive.');
});
