/** Charts without axes: single figures, tables and heat maps. */
import { type Chart, type Common, chart } from './chart.ts';

/** One figure. */
export function bigNumber(
  name: string,
  dataset: string,
  {
    metric,
    format = ',.0f',
    subtitle = '',
    ...common
  }: Common & { metric: string; format?: string; subtitle?: string },
): Chart {
  return chart(name, dataset, 'big_number_total', common, {
    metric,
    y_axis_format: format,
    time_format: '%Y-%m-%d',
    force_timestamp_formatting: format === 'day',
    header_font_size: 0.4,
    subtitle,
    subtitle_font_size: 0.2,
  });
}

/** Figures by names. */
export function table(
  name: string,
  dataset: string,
  {
    by,
    metrics,
    sort,
    ascending = false,
    formats = {},
    limit = 1_000,
    ...common
  }: Common & {
    by: readonly string[];
    metrics: readonly string[];
    /** The metric for the order of rows. */
    sort?: string;
    ascending?: boolean;
    formats?: Readonly<Record<string, unknown>>;
    limit?: number;
  },
): Chart {
  return chart(name, dataset, 'table', common, {
    query_mode: 'aggregate',
    groupby: by,
    metrics,
    ...(sort === undefined ? {} : { timeseries_limit_metric: sort }),
    order_desc: !ascending,
    row_limit: limit,
    table_timestamp_format: '%Y-%m-%d',
    show_cell_bars: false,
    color_pn: false,
    column_config: formats,
  });
}

/** A table of rows. */
export function rows(
  name: string,
  dataset: string,
  {
    columns,
    order,
    limit = 100,
    formats = {},
    ...common
  }: Common & {
    columns: readonly string[];
    /** Columns, each with `true` for ascending order. */
    order: readonly (readonly [string, boolean])[];
    limit?: number;
    formats?: Readonly<Record<string, unknown>>;
  },
): Chart {
  return chart(name, dataset, 'table', common, {
    query_mode: 'raw',
    all_columns: columns,
    order_by_cols: order.map((each) => JSON.stringify(each)),
    row_limit: limit,
    table_timestamp_format: '%Y-%m-%d',
    show_cell_bars: false,
    column_config: formats,
  });
}

/** A figure by names in rows and in columns, with totals. */
export function pivot(
  name: string,
  dataset: string,
  {
    rows,
    columns,
    metric,
    format,
    ...common
  }: Common & { rows: readonly string[]; columns: readonly string[]; metric: string; format: string },
): Chart {
  return chart(name, dataset, 'pivot_table_v2', common, {
    groupbyRows: rows,
    // The form needs neither, but a dashboard only knows the labels of columns in one of them.
    groupby: [...rows, ...columns],
    groupbyColumns: columns,
    metrics: [metric],
    metricsLayout: 'COLUMNS',
    aggregateFunction: 'Sum',
    colTotals: true,
    rowTotals: true,
    rowOrder: 'key_a_to_z',
    colOrder: 'key_a_to_z',
    valueFormat: format,
    row_limit: 10_000,
  });
}

/** A figure by two names, as a heat map. */
export function heatmap(
  name: string,
  dataset: string,
  { x, y, metric, format, ...common }: Common & { x: string; y: string; metric: string; format: string },
): Chart {
  return chart(name, dataset, 'heatmap_v2', common, {
    x_axis: x,
    groupby: y,
    metric,
    normalize_across: 'heatmap',
    linear_color_scheme: 'schemeBlues',
    legend_type: 'continuous',
    show_legend: false,
    show_values: true,
    sort_x_axis: 'alpha_asc',
    sort_y_axis: 'alpha_desc',
    xscale_interval: -1,
    yscale_interval: -1,
    left_margin: 75,
    bottom_margin: 40,
    value_bounds: [0, 1],
    y_axis_format: format,
    x_axis_time_format: '%Y-%m',
    row_limit: 10_000,
  });
}
