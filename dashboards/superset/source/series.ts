/** Charts with axes: lines, areas and bars. */
import { type Chart, type Common, chart } from './chart.ts';

/** Whole numbers; on a short axis also halves, so that no number appears twice. */
export const counts = ',~f';

interface Series extends Common {
  readonly x: string;
  readonly metrics: readonly string[];
  readonly by?: string;
  readonly format?: string;
  /** Whether the series are stacked. */
  readonly stacked?: boolean;
  readonly limit?: number;
  /** Whether all labels are shown, rotated, so that marks of the last period are visible. */
  readonly slanted?: boolean;
}

/** Common parameters of lines and bars. */
function series({
  x,
  metrics,
  by,
  format = '~s',
  stacked = false,
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

/** Stacked areas over days. */
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

/** The names with the highest figures, as horizontal bars. */
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
