/** The dbt project says of the views what the database says. What dbt makes of it is in test/bi-tools. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { grains } from './support/dbt/grains.ts';
import { dbtFiles } from './support/dbt/project.ts';

const project = fileURLToPath(new URL('../dbt/', import.meta.url));
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** All files below `dbt/models`, but the few that are written by hand. */
async function generatedFiles(): Promise<string[]> {
  const names = await readdir(join(project, 'models'), { recursive: true });
  return names
    .filter((name) => /\.(sql|yml)$/.test(name) && name !== 'freshness.yml')
    .map((name) => `models/${name}`)
    .sort();
}

test('the models, metrics, sources and exposures in dbt are those of the database, the catalog and the dashboards', async () => {
  const files = await dbtFiles(database.pool);
  if (process.env.UPDATE_DOCUMENTS === '1') {
    await rm(join(project, 'models', 'bi'), { recursive: true, force: true });
    for (const [path, text] of files) {
      await mkdir(join(project, dirname(path)), { recursive: true });
      await writeFile(join(project, path), text);
    }
  }
  expect(await generatedFiles()).toEqual([...files.keys()].sort());
  for (const [path, text] of files) expect(await readFile(join(project, path), 'utf8'), path).toBe(text);
});

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
