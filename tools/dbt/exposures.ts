/** The dashboards of this repository as dbt exposures. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

const dashboards = fileURLToPath(new URL('../../dashboards/', import.meta.url));

const grafanaDashboard = z.object({ title: z.string(), description: z.string().default('') });
const supersetDashboard = z.object({
  dashboard_title: z.string(),
  uuid: z.string(),
  description: z.string().nullish(),
});

/** One exposure for each dashboard below `dashboards/`; it depends on the models that its queries name. */
export async function exposures(models: ReadonlySet<string>): Promise<object[]> {
  return [...(await grafana(models)), ...(await superset(models))];
}

/** The models of the views that a text names. */
function refs(text: string, models: ReadonlySet<string>): string[] {
  const named = [...text.matchAll(/\b(bi|bi_people)\.([a-z_]+)/g)].map(([, schema, view]) =>
    schema === 'bi' ? `${view}` : `people_${view}`,
  );
  return [...new Set(named)].filter((name) => models.has(name)).sort();
}

function exposure(tool: string, title: string, description: string, dependsOn: readonly string[]): object {
  return {
    name: `${tool}_${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`,
    label: `${title} (${tool.charAt(0).toUpperCase()}${tool.slice(1)})`,
    type: 'dashboard',
    ...(description === '' ? {} : { description }),
    owner: { name: 'usage-etl' },
    ...(dependsOn.some((name) => name.startsWith('people_'))
      ? { config: { enabled: "{{ var('people', false) }}" } }
      : {}),
    depends_on: dependsOn.map((name) => `ref('${name}')`),
  };
}

async function textsIn(folder: string, end: string): Promise<string[]> {
  const names = await readdir(`${dashboards}${folder}`, { recursive: true }).catch((): string[] => []);
  const files = names.filter((name) => name.endsWith(end)).sort();
  return await Promise.all(files.map((name) => readFile(`${dashboards}${folder}/${name}`, 'utf8')));
}

async function grafana(models: ReadonlySet<string>): Promise<object[]> {
  return (await textsIn('grafana', '.json')).map((text) => {
    const { title, description } = grafanaDashboard.parse(JSON.parse(text));
    return exposure('grafana', title, description, refs(text, models));
  });
}

/** A dashboard refers to its charts, a chart to its dataset, and a dataset to its view. */
async function superset(models: ReadonlySet<string>): Promise<object[]> {
  const charts = (await textsIn('superset/charts', '.yaml')).map((text) =>
    z.object({ uuid: z.string(), dataset_uuid: z.string() }).parse(parse(text)),
  );
  const datasets = (await textsIn('superset/datasets', '.yaml')).map((text) =>
    z
      .object({ uuid: z.string(), schema: z.string(), table_name: z.string(), sql: z.string().nullish() })
      .parse(parse(text)),
  );
  return (await textsIn('superset/dashboards', '.yaml')).map((text) => {
    const { dashboard_title, description } = supersetDashboard.parse(parse(text));
    const shown = charts.filter(({ uuid }) => text.includes(uuid)).map(({ dataset_uuid }) => dataset_uuid);
    const read = datasets
      .filter(({ uuid }) => shown.includes(uuid))
      .map(({ schema, table_name, sql }) => sql ?? `${schema}.${table_name}`);
    return exposure('superset', dashboard_title, description ?? '', refs(read.join('\n'), models));
  });
}
