/** The files for Superset are what their sources say; Superset itself is in test/bi-tools. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  dashboards,
  datasetKey,
  type Relation,
  supersetFiles,
} from '../../dashboards/superset/source/assets.ts';
import { selects } from '../../dashboards/superset/source/selects.ts';
import { columnComment } from '../../src/model/measures.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const folder = fileURLToPath(new URL('../../dashboards/superset/', import.meta.url));
let database: TestDatabase;
let files: ReadonlyMap<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  files = supersetFiles([...(await viewsOf(database.pool)), ...(await selectsOf(database.pool))]);
});

afterAll(() => database.drop());

/**
 * All views but bi_people.users: Superset on SQLite has no two datasets of one name, and the select `people` has its
 * columns.
 */
async function viewsOf(pool: pg.Pool): Promise<Relation[]> {
  const { rows } = await pool.query<Relation>(
    `select namespace.nspname as schema, relation.relname as name, obj_description(relation.oid, 'pg_class') as comment,
      json_agg(
        json_build_object(
          'name', attribute.attname,
          'type', format_type(attribute.atttypid, attribute.atttypmod),
          'comment', col_description(relation.oid, attribute.attnum)
        )
        order by attribute.attnum
      ) as columns
    from pg_class as relation
    join pg_namespace as namespace on namespace.oid = relation.relnamespace
    join pg_attribute as attribute on attribute.attrelid = relation.oid and attribute.attnum > 0
    where namespace.nspname in ('bi', 'bi_people') and relation.relkind = 'v'
      and namespace.nspname || '.' || relation.relname <> 'bi_people.users'
    group by namespace.nspname, relation.oid, relation.relname
    order by namespace.nspname, relation.relname`,
  );
  return rows;
}

/** Postgres says which columns a select has. */
async function selectsOf(pool: pg.Pool): Promise<Relation[]> {
  return await Promise.all(
    selects.map(async ({ schema, name, description, sql }) => {
      const { fields } = await pool.query(`select * from (${sql}) as answer limit 0`);
      const of = datasetKey({ schema, name });
      const columns = await Promise.all(
        fields.map(async (field) => {
          const { rows } = await pool.query<{ type: string }>('select format_type($1, null) as type', [
            field.dataTypeID,
          ]);
          return {
            name: field.name,
            type: rows[0]?.type ?? '',
            comment: columnComment(of, field.name) ?? null,
          };
        }),
      );
      return { schema, name, comment: description, columns };
    }),
  );
}

test('the files are what their sources and the views say', async () => {
  const stored = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.yaml'));
  if (process.env.UPDATE_DOCUMENTS === '1') {
    for (const path of stored) await rm(join(folder, path));
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  } else {
    expect(stored.sort()).toEqual([...files.keys()].sort());
  }
  for (const [path, text] of files) expect(await readFile(join(folder, path), 'utf8'), path).toBe(text);
});

/** What a dataset file holds, as far as the tests look at it. */
interface DatasetFile {
  readonly uuid: string;
  readonly table_name: string;
  readonly columns: readonly { readonly column_name: string }[];
  readonly metrics: readonly {
    readonly metric_name: string;
    readonly verbose_name: string;
    readonly expression: string;
    readonly warning_text: string | null;
  }[];
}

const datasetFiles = () =>
  [...files].filter(([path]) => path.startsWith('datasets/')).map(([, text]): DatasetFile => parse(text));

test('every view is a dataset, and what cannot be added has a metric that warns and does not add', () => {
  const byName = new Map(datasetFiles().map((dataset) => [dataset.table_name, dataset]));
  const metric = (dataset: string, name: string) =>
    byName.get(dataset)?.metrics.find(({ metric_name }) => metric_name === name);
  expect(metric('daily_overview', 'daily_active_users_busiest_day')).toMatchObject({
    verbose_name: 'Active users (busiest day)',
    expression: 'max(daily_active_users)',
    warning_text: expect.stringContaining('not additive over days: the same user counts each time'),
  });
  expect(metric('daily_overview', 'credits')).toMatchObject({
    expression: 'sum(credits)',
    warning_text: null,
  });
  const sums = datasetFiles().flatMap(({ table_name, metrics }) =>
    metrics.filter(({ expression }) => /^sum\(\w*active_users\)$/.test(expression)).map(() => table_name),
  );
  expect(sums).toEqual([]);
});

test('who has no limit is in no share of limits that is used', async () => {
  const limits = datasetFiles().find(({ table_name }) => table_name === 'credit_limits');
  const share = limits?.metrics.find(({ metric_name }) => metric_name === 'used_share');
  const { rows } = await database.pool.query(
    `select ${share?.expression} as share from (values (50, 100), (null, 100), (900, null)) as of (credits_this_month, limit_credits)`,
  );
  expect(rows).toEqual([{ share: 0.25 }]);
});

test('every chart asks columns and metrics that its dataset has', () => {
  const byUuid = new Map(datasetFiles().map((dataset) => [dataset.uuid, dataset]));
  const charts = [...files].filter(([path]) => path.startsWith('charts/'));
  expect(charts.length).toBe(dashboards.flatMap(({ rows }) => rows.flatMap(({ places }) => places)).length);
  for (const [path, text] of charts) {
    const { dataset_uuid, params } = parse(text);
    const dataset = byUuid.get(dataset_uuid);
    const metrics = dataset?.metrics.map(({ metric_name }) => metric_name);
    const columns = dataset?.columns.map(({ column_name }) => column_name);
    const asked = (value: unknown) => [value ?? []].flat();
    for (const name of asked([params.metric, params.metrics, params.timeseries_limit_metric].flat()))
      if (name !== undefined) expect(metrics, path).toContain(name);
    for (const name of [params.x_axis, params.groupby, params.all_columns, params.groupbyRows].flat())
      if (name !== undefined) expect(columns, path).toContain(name);
  }
});
