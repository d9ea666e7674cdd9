/** Who asks for one organization reads its rows: no plan of a view or a check scans a table of all without the key. */
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../src/warehouse/connection/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addOrganization, everyCheck } from '../support/organization-rows.ts';

let database: TestDatabase;
let pool: pg.Pool;
/** Tables of which every organization has rows, by schema and name, with a key of one column beside `org_key`. */
let ownKeys: ReadonlyMap<string, string | null>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 2);
  for (const orgKey of [1, 2, 3]) await addOrganization(pool, orgKey, '2026-02-20', '2026-03-10');
  await pool.query('vacuum analyze');
  const { rows } = await pool.query<{ name: string; key: string | null }>(
    `select format('%s.%s', n.nspname, c.relname) as name,
      (
        select k.attname
        from pg_constraint as p
        join pg_attribute as k on k.attrelid = c.oid and k.attnum = p.conkey[1]
        where p.conrelid = c.oid and p.contype = 'p' and cardinality(p.conkey) = 1
      ) as key
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute as a on a.attrelid = c.oid and a.attname = 'org_key' and not a.attisdropped
    where n.nspname in ('warehouse', 'etl') and c.relkind in ('r', 'p') and c.relname <> 'dim_org'`,
  );
  ownKeys = new Map(rows.map(({ name, key }) => [name, key]));
}, 120_000);

afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The scans of a statement that read rows of other organizations, too. */
async function scansOfAll(statement: string, values: readonly unknown[] = []): Promise<string[]> {
  const client = await pool.connect();
  try {
    // Three organizations are few: Postgres would rather read a small table whole. These settings show what it must read.
    await client.query('set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off');
    const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
      `explain (format json, verbose) ${statement}`,
      [...values],
    );
    return rows.flatMap((row) => row['QUERY PLAN']).flatMap(({ Plan }) => scansIn(Plan));
  } finally {
    client.release(true);
  }
}

function scansIn(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(scansIn);
  const table = `${node.Schema}.${node['Relation Name']}`;
  if (node['Relation Name'] === undefined || !ownKeys.has(table)) return below;
  const condition = node['Index Cond'] ?? node['Recheck Cond'] ?? '';
  const keys = ['org_key', ownKeys.get(table)];
  if (keys.some((key) => condition.includes(`.${key} = `) || condition.includes(`(${key} = `))) return below;
  return [`${table} by ${node['Node Type']} ${condition}`, ...below];
}

test('a plan that reads everybody is recognized', async () => {
  expect(await scansOfAll('select * from warehouse.fact_user_daily')).toHaveLength(1);
  expect(await scansOfAll('select distinct user_key from warehouse.fact_user_daily')).toHaveLength(1);
  expect(await scansOfAll('select * from etl.slice where org_key = 1')).toEqual([]);
});

test.each(['org_id', 'org_key'])(
  'every view reads the rows of one organization, asked for by %s',
  async (column) => {
    const { rows } = await pool.query<{ view: string }>(
      `select c.oid::regclass::text as view
    from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid and a.attname = $1
    where c.relkind = 'v' and c.relnamespace in ('bi'::regnamespace, 'bi_people'::regnamespace, 'warehouse'::regnamespace, 'etl'::regnamespace)
    order by 1`,
      [column],
    );
    expect(rows.length).toBeGreaterThan(25);
    const value = column === 'org_id' ? `'org_2'` : '2';
    const found: string[] = [];
    for (const { view } of rows)
      for (const scan of await scansOfAll(`select * from ${view} where ${column} = ${value}`))
        found.push(`${view}: ${scan}`);
    expect(found).toEqual([]);
  },
);

test('every check reads the rows of its organization', async () => {
  const found: string[] = [];
  for (const { name, comparisons } of await everyCheck()) {
    const values = [2, '2026-03-01', '2026-03-03', ...comparisons.parameters];
    for (const scan of await scansOfAll(comparisons.text.trim().replace(/;$/, ''), values))
      found.push(`${name}: ${scan}`);
  }
  expect(found).toEqual([]);
});
