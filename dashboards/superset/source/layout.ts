/** The layout and the filters of a dashboard, as Superset saves them. */
import type { Dashboard } from './dashboard.ts';
import { uuidOf } from './ids.ts';

/** The name of a chart, unique over all dashboards. */
export const chartKey = (dashboard: Dashboard, name: string) => `${dashboard.slug}/${name}`;

/** The `position` of a dashboard: a tree, by the ids of its nodes. */
export function positionOf(dashboard: Dashboard): Readonly<Record<string, unknown>> {
  const nodes: Record<string, unknown> = {
    DASHBOARD_VERSION_KEY: 'v2',
    ROOT_ID: { id: 'ROOT_ID', type: 'ROOT', children: ['GRID_ID'] },
    HEADER_ID: { id: 'HEADER_ID', type: 'HEADER', meta: { text: dashboard.title } },
    GRID_ID: {
      id: 'GRID_ID',
      type: 'GRID',
      parents: ['ROOT_ID'],
      children: dashboard.rows.map((_, index) => `ROW-${index + 1}`),
    },
  };
  let chartId = 0;
  for (const [index, { height, places }] of dashboard.rows.entries()) {
    const rowId = `ROW-${index + 1}`;
    const children = places.map((_, place) => `CHART-${index + 1}-${place + 1}`);
    nodes[rowId] = {
      id: rowId,
      type: 'ROW',
      parents: ['ROOT_ID', 'GRID_ID'],
      children,
      meta: { background: 'BACKGROUND_TRANSPARENT' },
    };
    for (const [place, { chart, width }] of places.entries()) {
      const id = children[place] ?? '';
      chartId += 1;
      nodes[id] = {
        id,
        type: 'CHART',
        parents: ['ROOT_ID', 'GRID_ID', rowId],
        children: [],
        // Superset replaces this number by that of the imported chart.
        meta: {
          chartId,
          uuid: uuidOf('chart', chartKey(dashboard, chart.name)),
          sliceName: chart.name,
          width,
          height,
        },
      };
    }
  }
  return nodes;
}

const scope = { rootPath: ['ROOT_ID'], excluded: [] };

/** One organization at a time, so that figures are not added that must not be. */
const organizationFilter = (dataset: string) => ({
  id: 'NATIVE_FILTER-organization',
  type: 'NATIVE_FILTER',
  filterType: 'filter_select',
  name: 'Organization',
  description: '',
  targets: [{ column: { name: 'org_id' }, datasetUuid: uuidOf('dataset', dataset) }],
  controlValues: { multiSelect: false, enableEmptyFilter: true, defaultToFirstItem: true },
  defaultDataMask: { extraFormData: {}, filterState: {} },
  cascadeParentIds: [],
  scope,
});

const range = 'Last quarter';

/** Only for charts over days; those over weeks and months show a fixed number of them. */
const daysFilter = {
  id: 'NATIVE_FILTER-days',
  type: 'NATIVE_FILTER',
  filterType: 'filter_time',
  name: 'Days',
  description: 'For charts over days',
  targets: [{}],
  controlValues: {},
  defaultDataMask: { extraFormData: { time_range: range }, filterState: { value: range } },
  cascadeParentIds: [],
  scope,
};

/** The `metadata` of a dashboard: its filters, and consistent colours. */
export function metadataOf(dashboard: Dashboard): Readonly<Record<string, unknown>> {
  return {
    native_filter_configuration: [
      organizationFilter(dashboard.people === true ? 'bi_people.people' : 'daily_overview'),
      ...(dashboard.days === true ? [daysFilter] : []),
    ],
    filter_bar_orientation: 'HORIZONTAL',
    color_scheme: 'supersetColors',
    label_colors: colours,
    cross_filters_enabled: true,
    refresh_frequency: 0,
    expanded_slices: {},
  };
}

const colours = {
  new: '#5AC189',
  active: '#1FA8C9',
  dormant: '#FCC700',
  gone: '#E04355',
  never: '#666666',
  'this month': '#1FA8C9',
  'month before': '#A1A6BD',
};
