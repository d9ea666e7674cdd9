/** Makes the files for `superset import-directory` from the catalog of measures and the list of dashboards. */
import { stringify } from 'yaml';
import { type Column, labelOf, type Metric, metricsOf, timeColumnOf } from './catalog.ts';
import { computed, more } from './computed.ts';
import type { Dashboard } from './dashboard.ts';
import { adoption } from './dashboards/adoption.ts';
import { cost } from './dashboards/cost.ts';
import { dataHealth } from './dashboards/data-health.ts';
import { overview } from './dashboards/overview.ts';
import { people } from './dashboards/people.ts';
import { uuidOf } from './ids.ts';
import { chartKey, metadataOf, positionOf } from './layout.ts';
import { type Select, selects } from './selects.ts';

/** A relation for charts: a view or one of our selects. */
export interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly Column[];
}

export const dashboards: readonly Dashboard[] = [overview, cost, adoption, people, dataHealth];

/** The key of a dataset: the name of its view, with the schema unless it is `bi`. */
export function datasetKey({ schema, name }: Pick<Relation, 'schema' | 'name'>): string {
  return schema === 'bi' ? name : `${schema}.${name}`;
}

const version = '1.0.0';
const certification = { certified_by: 'usage-etl', details: 'Made from the catalog of measures.' };
const connections = [
  { name: 'usage', role: 'usage_analyst', title: 'Usage' },
  { name: 'usage_people', role: 'usage_people_reader', title: 'Usage with people' },
] as const;
const connectionOf = (schema: string) => (schema === 'bi_people' ? 'usage_people' : 'usage');

/**
 * All files by path below `dashboards/superset/`. `views` are the views of `bi` and `bi_people` and the selects of
 * selects.ts, with their columns.
 */
export function supersetFiles(views: readonly Relation[]): ReadonlyMap<string, string> {
  const files = new Map<string, object>([
    // Without the time, so that the file does not change.
    ['metadata.yaml', { version, type: 'assets' }],
    ...connections.map(({ name, role, title }): [string, object] => [
      `databases/${name}.yaml`,
      databaseOf(name, role, title),
    ]),
    ...views.map((view): [string, object] => [
      `datasets/${connectionOf(view.schema)}/${view.name}.yaml`,
      datasetOf(
        view,
        selects.find(({ schema, name }) => schema === view.schema && name === view.name),
      ),
    ]),
    ...dashboards.flatMap((dashboard) => [...chartsOf(dashboard, views), dashboardOf(dashboard)]),
  ]);
  return new Map(
    [...files].map(([path, value]) => [
      path,
      stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }),
    ]),
  );
}

function databaseOf(name: string, role: string, title: string): object {
  return {
    database_name: title,
    // Without a password: libpq reads it from the file in PGPASSFILE.
    sqlalchemy_uri: `postgresql+psycopg2://${role}@localhost:5432/usage`,
    cache_timeout: null,
    expose_in_sqllab: true,
    allow_run_async: false,
    allow_ctas: false,
    allow_cvas: false,
    allow_dml: false,
    allow_csv_upload: false,
    extra: { allows_virtual_table_explore: true },
    uuid: uuidOf('database', name),
    version,
  };
}

function datasetOf(relation: Relation, select: Select | undefined): object {
  const { schema, name, comment, columns } = relation;
  const key = datasetKey(relation);
  const time = timeColumnOf(columns);
  const metrics = [...metricsOf(name, columns), ...(more[key] ?? []), ...(select?.metrics ?? [])];
  return {
    table_name: name,
    main_dttm_col: time ?? null,
    description: select?.description ?? comment,
    cache_timeout: null,
    schema,
    sql: select?.sql ?? null,
    ...(select === undefined ? {} : { source_db_engine: 'postgresql' }),
    filter_select_enabled: true,
    extra: { certification },
    uuid: uuidOf('dataset', key),
    columns: [...columns.map((column) => columnOf(column)), ...(computed[key] ?? []).map(computedColumnOf)],
    metrics: metrics.map(metricOf),
    version,
    database_uuid: uuidOf('database', connectionOf(schema)),
  };
}

/** What is not said has Superset's defaults: the column is active, and one can group and filter by it. */
function columnOf({ name, type, comment }: Column): object {
  return {
    column_name: name,
    verbose_name: labelOf(name),
    is_dttm: type === 'date' || type.startsWith('timestamp'),
    type: type.toUpperCase(),
    description: comment,
  };
}

function computedColumnOf({
  name,
  label,
  expression,
  description,
}: (typeof computed)[string][number]): object {
  return {
    column_name: name,
    verbose_name: label,
    is_dttm: false,
    type: 'TEXT',
    expression,
    description,
  };
}

function metricOf({ name, label, expression, description, warning, format }: Metric): object {
  return {
    metric_name: name,
    verbose_name: label,
    expression,
    description,
    d3format: format ?? null,
    warning_text: warning ?? null,
    extra: { certification, ...(warning === undefined ? {} : { warning_markdown: warning }) },
  };
}

function chartsOf(dashboard: Dashboard, views: readonly Relation[]): [string, object][] {
  return dashboard.rows
    .flatMap(({ places }) => places)
    .map(({ chart }): [string, object] => {
      if (!views.some((view) => datasetKey(view) === chart.dataset))
        throw new Error(`expected the chart "${chart.name}" to ask a view or select; got "${chart.dataset}"`);
      return [
        `charts/${dashboard.slug}/${chart.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.yaml`,
        {
          slice_name: chart.name,
          description: chart.description,
          viz_type: chart.vizType,
          // Without a stored query: it would contain dataset ids of another installation.
          params: chart.params,
          cache_timeout: null,
          uuid: uuidOf('chart', chartKey(dashboard, chart.name)),
          version,
          dataset_uuid: uuidOf('dataset', chart.dataset),
        },
      ];
    });
}

function dashboardOf(dashboard: Dashboard): [string, object] {
  return [
    `dashboards/${dashboard.slug}.yaml`,
    {
      dashboard_title: dashboard.title,
      description: dashboard.description,
      slug: dashboard.slug,
      uuid: uuidOf('dashboard', dashboard.slug),
      position: positionOf(dashboard),
      metadata: metadataOf(dashboard),
      published: true,
      version,
    },
  ];
}
