/** The two kinds of charts: stacked bars and lines. */

import Big from 'big.js';
import type { EChartsCoreOption } from 'echarts/core';
import { percentText, scaleText } from './number-words.ts';
import { type Size, textWidth } from './svg-chart.ts';

/** One series of figures over all periods. */
export interface Series {
  /** The number of its colour. */
  readonly color: number;
  readonly values: readonly (number | null)[];
  /** Whether the line is dashed, so that it can be told apart in print. */
  readonly isDashed?: boolean;
}

/** The data of a chart. */
export interface Plot {
  /** The labels of the periods. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Set if the figures are shares from 0 to 1. `whole`: the series of a period sum to 1. */
  readonly shares?: 'whole' | 'parts';
}

/** Margins in the units of the chart. The last label is centred below the last point, so it needs room on the right. */
const margin = { top: 10, right: 24, bottom: 30 };
const gapOfLabels = 16;
const daysInWeek = 7;
/** If a share is larger than this, the axis ends at 100 %. */
const mostBelowAll = 0.8;
/** Bars narrower than `thinBar` have no border; bars narrower than `broadBar` have a thin one. */
const thinBar = 6;
const broadBar = 16;

/** Stacked bars; negative values hang below the axis. */
export function barsOf({ labels, series, shares }: Plot, size: Size): EChartsCoreOption {
  const left = leftOf(series, shares, true);
  const barWidth = (size.width - left - margin.right) / Math.max(1, labels.length);
  return {
    grid: gridOf(left),
    xAxis: periodAxis(labels, size.width - left - margin.right, true),
    yAxis: valueAxis(shares),
    series: series.map(({ color, values }) => ({
      type: 'bar',
      stack: 'all',
      silent: true,
      barCategoryGap: '18%',
      barMaxWidth: 44,
      // A bar of height 0 would be drawn as a line.
      data: values.map((value) => (value === 0 ? null : value)),
      // A border separates neighbouring bars, for readers who cannot tell the colours apart.
      itemStyle: {
        color: colorOf(color),
        borderColor: 'var(--surface)',
        borderWidth: barWidth < thinBar ? 0 : barWidth < broadBar ? 0.5 : 1,
      },
    })),
  };
}

/** Lines, with gaps for unknown figures. */
export function linesOf({ labels, series, shares }: Plot, size: Size): EChartsCoreOption {
  const left = leftOf(series, shares, false);
  return {
    grid: gridOf(left),
    xAxis: periodAxis(labels, size.width - left - margin.right, false),
    yAxis: valueAxis(shares),
    series: series.map(({ color, values, isDashed }) => ({
      type: 'line',
      silent: true,
      symbol: 'circle',
      symbolSize: 5,
      // Few values get symbols: a single one would not be visible as a line.
      showSymbol: values.length < 30,
      connectNulls: false,
      data: values,
      itemStyle: { color: colorOf(color) },
      lineStyle: { color: colorOf(color), width: 2, type: isDashed === true ? [6, 3] : 'solid' },
    })),
  };
}

function colorOf(number: number): string {
  return `var(--c${number})`;
}

function gridOf(left: number) {
  return { ...margin, left, outerBoundsMode: 'none' };
}

/** Width of the left margin: room for the longest number on the axis. */
function leftOf(series: readonly Series[], shares: Plot['shares'], isStacked: boolean): number {
  if (shares !== undefined) return textWidth('100 %') + 10;
  const most = isStacked
    ? (series[0]?.values ?? []).map((_, place) =>
        series.reduce((sum, { values }) => sum + Math.abs(values[place] ?? 0), 0),
      )
    : series.flatMap(({ values }) => values.map((value) => value ?? 0));
  const longest = Math.max(...most.map((value) => axisNumber(value).length), 3);
  return longest * textWidth('0') + 10;
}

function periodAxis(labels: readonly string[], width: number, isBetween: boolean) {
  const widest = Math.max(...labels.map(textWidth), 1) + gapOfLabels;
  const step = Math.max(1, Math.ceil((labels.length * widest) / Math.max(1, width)));
  return {
    type: 'category',
    data: labels,
    boundaryGap: isBetween || labels.length === 1,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: 'var(--axis)' }, onZero: true },
    axisLabel: {
      color: 'var(--muted)',
      interval: (step > 3 && labels.length > 31 ? daysInWeek * Math.ceil(step / daysInWeek) : step) - 1,
      showMinLabel: true,
      hideOverlap: true,
      margin: 14,
    },
  };
}

function valueAxis(shares: Plot['shares']) {
  return {
    type: 'value',
    splitNumber: 4,
    minInterval: shares !== undefined ? undefined : 1,
    ...(shares === 'whole' ? { min: 0, max: 1, interval: 0.25 } : {}),
    // Shares end at 100 %.
    ...(shares === 'parts' ? { max: ({ max }: { max: number }) => (max > mostBelowAll ? 1 : null) } : {}),
    axisLabel: { color: 'var(--muted)', formatter: shares !== undefined ? axisShare : axisNumber },
    splitLine: { lineStyle: { color: 'var(--rule)' } },
  };
}

function axisShare(value: number): string {
  return percentText(new Big(value)).replace('.0', '');
}

/** A number at the axis. Those below zero are shown without a sign. */
function axisNumber(value: number): string {
  return scaleText(new Big(Math.abs(value))).replace('.0', '');
}
