/** What a dashboard is: rows of charts, twelve columns wide. */
import type { Chart } from './chart.ts';

/** A chart in a row. */
export interface Place {
  readonly chart: Chart;
  /** Of the twelve columns. */
  readonly width: number;
}

export interface Row {
  /** In units of 8 pixels. */
  readonly height: number;
  readonly places: readonly Place[];
}

export interface Dashboard {
  /** In the address, and in the names of files. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** Whether it names persons: its datasets belong to the connection that may. */
  readonly people?: boolean;
  /** Whether it has a range of days to choose. */
  readonly days?: boolean;
  readonly rows: readonly Row[];
}

/** A row of charts of one width. */
export function row(height: number, ...charts: readonly Chart[]): Row {
  return rowOf(height, ...charts.map((chart): [Chart, number] => [chart, 12 / charts.length]));
}

/** A row of charts, each with its width. */
export function rowOf(height: number, ...places: readonly (readonly [chart: Chart, width: number])[]): Row {
  return { height, places: places.map(([chart, width]) => ({ chart, width })) };
}
