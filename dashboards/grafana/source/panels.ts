/** Panels with one query each. test/dashboards/grafana-macros.ts shows the SQL of Grafana's macros. */
import { PanelBuilder as BarChartBuilder } from '@grafana/grafana-foundation-sdk/barchart';
import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  StackingMode,
  VizLegendOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** The database, selected at the top of a dashboard. */
export const source = { type: 'grafana-postgresql-datasource', uid: `\${source}` };

/** The common settings of panels. */
export interface PanelText {
  readonly title: string;
  /** How to read the figures. */
  readonly description: string;
  readonly sql: string;
  /** A unit of Grafana: short, percentunit, currencyUSD. */
  readonly unit?: string;
  /** Columns of 24. */
  readonly width?: number;
}

interface SqlQuery extends Dataquery {
  refId: string;
  datasource: typeof source;
  editorMode: 'code';
  format: 'time_series' | 'table';
  rawQuery: true;
  rawSql: string;
}

/** A query builder for Postgres, which the SDK lacks. */
function query(rawSql: string, format: SqlQuery['format']): Builder<Dataquery> {
  const built: SqlQuery = {
    refId: 'A',
    datasource: source,
    editorMode: 'code',
    format,
    rawQuery: true,
    rawSql: rawSql.trim(),
    // Marks the type for the SDK; functions are not part of the JSON file.
    _implementsDataqueryVariant() {},
  };
  return { build: () => built };
}

function legend(): VizLegendOptionsBuilder {
  return new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
    .calcs([]);
}

/** One figure. */
export function figure({ title, description, sql, unit = 'short', width = 6 }: PanelText): StatBuilder {
  return new StatBuilder()
    .title(title)
    .description(description)
    .datasource(source)
    .withTarget(query(sql, 'table'))
    .unit(unit)
    .noValue('none')
    .colorMode(BigValueColorMode.None)
    .graphMode(BigValueGraphMode.None)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false).fields(''))
    .height(4)
    .span(width);
}

/** Lines over days. A day without a figure is a gap, not 0. */
export function lines({ title, description, sql, unit = 'short', width = 12 }: PanelText): TimeSeriesBuilder {
  return new TimeSeriesBuilder()
    .title(title)
    .description(description)
    .datasource(source)
    .withTarget(query(sql, 'time_series'))
    .unit(unit)
    .min(0)
    .spanNulls(false)
    .legend(legend())
    .height(9)
    .span(width);
}

/** Stacked bars over days, weeks or months. */
export function stacked(text: PanelText): TimeSeriesBuilder {
  return lines(text)
    .drawStyle(GraphDrawStyle.Bars)
    .fillOpacity(80)
    .lineWidth(0)
    .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
}

/** Names with their figures, highest first. */
export function ranking({ title, description, sql, unit = 'short', width = 8 }: PanelText): BarChartBuilder {
  return new BarChartBuilder()
    .title(title)
    .description(description)
    .datasource(source)
    .withTarget(query(sql, 'table'))
    .unit(unit)
    .min(0)
    .orientation(VizOrientation.Horizontal)
    .legend(legend().showLegend(false))
    .height(10)
    .span(width);
}

/** A table of rows. */
export function table({ title, description, sql, unit = 'short', width = 12 }: PanelText): TableBuilder {
  return new TableBuilder()
    .title(title)
    .description(description)
    .datasource(source)
    .withTarget(query(sql, 'table'))
    .unit(unit)
    .height(9)
    .span(width);
}
