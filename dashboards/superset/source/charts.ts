/** The kinds of charts that the dashboards use, as Superset's forms would save them. */

/** Whole numbers; of a few, the axis says halves, and no number twice. */
export const counts = ',~f';

/** A chart: what it shows of which dataset, and how. */
export interface Chart {
  readonly name: string;
  readonly description: string;
  /** The name of a view or of a select. */
  readonly dataset: string;
  readonly vizType: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What every kind of chart may be given. */
interface Common {
  readonly description?: string;
  /** A column by which the range of days of the dashboard cuts this chart; none: the range leaves it alone. */
  readonly days?: string;
  /** A condition in SQL. */
  readonly where?: string;
}

interface Series extends Common {
  readonly x: string;
  readonly metrics: readonly string[];
  readonly by?: string;
  readonly format?: string;
  /** One on another, for parts of a whole. */
  readonly stacked?: boolean;
  readonly title?: string;
  readonly limit?: number;
  /** Every name below its bar, aslant: a mark at the last one must be seen. */
  readonly slanted?: boolean;
}

function filters({ days, where }: Common): unknown[] {
  return [
    ...(days === undefined
      ? []
      : [
          {
            clause: 'WHERE',
            expressionType: 'SIMPLE',
            subject: days,
            operator: 'TEMPORAL_RANGE',
            comparator: 'No filter',
          },
        ]),
    ...(where === undefined ? [] : [{ clause: 'WHERE', expressionType: 'SQL', sqlExpression: where }]),
  ];
}

function chart(
  name: string,
  dataset: string,
  vizType: string,
  common: Common,
  params: Readonly<Record<string, unknown>>,
): Chart {
  return {
    name,
    dataset,
    vizType,
    description: common.description ?? '',
    params: { viz_type: vizType, adhoc_filters: filters(common), ...params },
  };
}

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

/** What lines and bars have in common. */
function series({
  x,
  metrics,
  by,
  format = '~s',
  stacked = false,
  title = '',
  limit = 0,
  days,
  slanted = false,
}: Series) {
  return {
    x_axis: x,
    ...(days === undefined
      ? {
          xAxisForceCategorical: true,
          x_axis_sort: x,
          x_axis_sort_asc: true,
          ...(slanted ? { xAxisLabelRotation: 45, xAxisLabelInterval: '0' } : {}),
        }
      : { time_grain_sqla: 'P1D', x_axis_time_format: '%m-%d' }),
    metrics,
    groupby: by === undefined ? [] : [by],
    row_limit: 10_000,
    ...(limit === 0 ? {} : { series_limit: limit, series_limit_metric: metrics[0] }),
    y_axis_format: format,
    y_axis_title: title,
    y_axis_title_margin: title === '' ? 15 : 40,
    y_axis_title_position: 'Left',
    show_legend: by !== undefined || metrics.length > 1,
    legendOrientation: 'top',
    legendType: 'scroll',
    rich_tooltip: true,
    tooltipTimeFormat: '%Y-%m-%d',
    truncate_metric: true,
    show_empty_columns: true,
    sort_series_type: 'name',
    sort_series_ascending: true,
    truncateXAxis: false,
    color_scheme: 'supersetColors',
    ...(stacked ? { stack: 'Stack' } : {}),
  };
}

/** Lines over days or names. */
export function lines(name: string, dataset: string, options: Series): Chart {
  return chart(name, dataset, 'echarts_timeseries_line', options, {
    ...series(options),
    seriesType: 'line',
    markerEnabled: false,
    opacity: 0.2,
  });
}

/** Areas over days, one on another. */
export function areas(name: string, dataset: string, options: Series): Chart {
  return chart(name, dataset, 'echarts_area', options, {
    ...series({ ...options, stacked: true }),
    seriesType: 'line',
    markerEnabled: false,
    opacity: 0.7,
  });
}

/** Bars over days or names. */
export function bars(name: string, dataset: string, options: Series): Chart {
  return chart(name, dataset, 'echarts_timeseries_bar', options, {
    ...series(options),
    orientation: 'vertical',
  });
}

/** The names with the highest figures, as bars from left to right. */
export function ranking(
  name: string,
  dataset: string,
  {
    of,
    metric,
    format = '~s',
    top = 10,
    by,
    ...common
  }: Common & {
    of: string;
    metric: string;
    format?: string;
    top?: number;
    by?: string;
  },
): Chart {
  return chart(name, dataset, 'echarts_timeseries_bar', common, {
    ...series({ x: of, metrics: [metric], format, ...(by === undefined ? {} : { by, stacked: true }) }),
    orientation: 'horizontal',
    row_limit: by === undefined ? top : 10_000,
    x_axis_sort: metric,
    x_axis_sort_asc: true,
    order_desc: true,
    timeseries_limit_metric: metric,
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
    /** A metric by which rows are in order. */
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

/** Rows as they are. */
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
    /** Columns with whether they go up. */
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
    // The form asks for neither, but a dashboard knows the names only of columns in one of these.
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

/** A figure by two names, as shades. */
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
