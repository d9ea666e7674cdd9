/** The example in CONTRIBUTING.md is the source that `test/system/sources-of-any-kind.test.ts` loads. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from './support/database.ts';

const textOf = (path: string) => readFile(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

/** What the diff does to each file: its added lines, and all others. */
const changes = new Map<string, { added: string; others: string[] }>();

beforeAll(async () => {
  const [, diff = ''] = /```diff\n(.*?)```/s.exec(await textOf('CONTRIBUTING.md')) ?? [];
  for (const part of diff.split(/^--- .*\n\+\+\+ b\//m).slice(1)) {
    const [path = '', ...lines] = part.trimEnd().split('\n');
    const added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
    const others = lines.filter((line) => /^[- ]/.test(line)).map((line) => line.slice(1));
    changes.set(path, { added: `${added.join('\n')}\n`, others });
  }
});

test('a source is three files of its own, a line in the registry and a migration', () => {
  expect([...changes.keys()].map((path) => path.replace(/\d{4}_/, ''))).toEqual([
    'src/sources/reviews/schema.ts',
    'src/sources/reviews/tables.ts',
    'src/sources/reviews/source.ts',
    'src/sources/registry.ts',
    'sql/migrations/create_reviews.sql',
  ]);
});

test.each(['schema.ts', 'tables.ts', 'source.ts'])('%s is what the test loads', async (file) => {
  const loaded = await textOf(`test/fixtures/made-up/reviews/${file}`);
  const inItsPlace = loaded
    .replaceAll('../../../../src/sources/', '../')
    .replaceAll('../../../../src/', '../../');
  expect(changes.get(`src/sources/reviews/${file}`)?.added).toBe(inItsPlace);
});

test('the migration makes the tables that the test loads into', async () => {
  const [migration] = [...changes].flatMap(([path, { added }]) => (path.startsWith('sql/') ? [added] : []));
  expect(migration).toBe(await textOf('test/fixtures/made-up/reviews/create_reviews.sql'));
});

test('it leaves no column without a comment, and no key of a dimension undeclared', async () => {
  const { pool, drop } = await createTestDatabase();
  try {
    await pool.query(`
      create table warehouse.fact_probe (
        org_key integer, snapshot_date date, user_key integer, loaded_at timestamptz, name text,
        name_digest bytea generated always as (warehouse.natural_key_digest(name)) stored
      );
      comment on column warehouse.fact_probe.name is 'Its own.';
      call etl.describe_shared_columns('warehouse.fact_probe');
      ${await textOf('test/fixtures/made-up/reviews/create_reviews.sql')}`);
    const ofNew =
      "attrelid in ('warehouse.fact_probe'::regclass, 'warehouse.fact_review'::regclass, 'warehouse.fact_review_file'::regclass)";
    const silent = await pool.query(
      `select attname from pg_attribute where ${ofNew} and attnum > 0 and col_description(attrelid, attnum) is null`,
    );
    expect(silent.rows).toEqual([]);
    const keys = await pool.query(`
      select conrelid::regclass::text || ': ' || pg_get_constraintdef(oid) as declared from pg_constraint
      where contype = 'f' and ${ofNew.replace('attrelid', 'conrelid')} order by 1`);
    expect(keys.rows.map(({ declared }) => declared.replace(' NOT ENFORCED', ''))).toEqual([
      'warehouse.fact_probe: FOREIGN KEY (org_key) REFERENCES warehouse.dim_org(org_key)',
      'warehouse.fact_probe: FOREIGN KEY (snapshot_date) REFERENCES warehouse.dim_date(date_day)',
      'warehouse.fact_probe: FOREIGN KEY (user_key) REFERENCES warehouse.dim_user(user_key)',
      'warehouse.fact_review: FOREIGN KEY (org_key) REFERENCES warehouse.dim_org(org_key)',
      'warehouse.fact_review_file: FOREIGN KEY (org_key) REFERENCES warehouse.dim_org(org_key)',
    ]);
  } finally {
    await drop();
  }
});

test('the registry is as the diff expects it', async () => {
  const registry = await textOf('src/sources/registry.ts');
  const { others = [] } = changes.get('src/sources/registry.ts') ?? {};
  expect(others.length).toBeGreaterThan(2);
  for (const line of others) expect(registry).toContain(line);
});
