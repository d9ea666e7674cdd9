/** A dashboard: rows of charts, twelve columns wide. */
import type { Chart } from './chart.ts';

/** A chart in a row. */
export interface Place {
  readonly chart: Chart;
  /** Number of columns, of twelve. */
  readonly width: number;
}

export interface Row {
  /** In units of 8 pixels. */
  readonly height: number;
  readonly places: readonly Place[];
}

export interface Dashboard {
  /** Part of the URL and of file names. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** Whether it names persons; then its datasets use the connection for people. */
  readonly people?: boolean;
  /** Whether it has a filter for a range of days. */
  readonly days?: boolean;
  readonly rows: readonly Row[];
}

/** A row of charts of equal width. */
export function row(height: number, ...charts: readonly Chart[]): Row {
  return rowOf(height, ...charts.map((chart): [Chart, number] => [chart, 12 / charts.length]));
}

/** A row of charts with their widths. */
export function rowOf(height: number, ...places: readonly (readonly [chart: Chart, width: number])[]): Row {
  return { height, places: places.map(([chart, width]) => ({ chart, width })) };
}
