/** What the files for Superset say of figures and charts; Superset itself is in test/bi-tools. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dashboards } from '../../dashboards/superset/source/assets.ts';
import { sharedTestDatabase } from '../support/database.ts';

const folder = fileURLToPath(new URL('../../dashboards/superset/', import.meta.url));
let files: ReadonlyMap<string, string>;

const database = await sharedTestDatabase();

beforeAll(async () => {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.yaml'));
  files = new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)),
  );
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
