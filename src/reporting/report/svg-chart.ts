/**
 * Charts as SVG, drawn without a browser. No text that somebody else wrote comes in here: names stand in the HTML beside
 * a chart, so that only days and numbers are drawn. Colours are CSS variables, which the page sets for light and dark.
 */
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { type EChartsCoreOption, init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { Html, html } from './html.ts';

use([BarChart, LineChart, GridComponent, SVGRenderer]);
// There is nothing here to measure with: a little more than most fonts take, so that labels never touch.
setPlatformAPI({ measureText: (text) => ({ width: textWidth(text) }) });

/** Size of what is written in a chart, in its own units. */
export const fontSize = 12;

/** How wide a text is at most. */
export function textWidth(text: string): number {
  return text.length * fontSize * 0.6;
}

/** The place that a chart has. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** How a chart is drawn in each of its two places: on a wide page, and on a telephone. */
export interface Drawing {
  readonly wide: Size;
  readonly narrow: Size;
  readonly option: (size: Size) => EChartsCoreOption;
  /** What can be seen, in a sentence. */
  readonly label: string;
}

/** As wide as the page, or half of that. */
export const sizes = {
  full: { wide: { width: 940, height: 300 }, narrow: { width: 340, height: 240 } },
  half: { wide: { width: 450, height: 260 }, narrow: { width: 340, height: 240 } },
} as const;

/** Both drawings of a chart; the page shows one of them. */
export function svgChart({ wide, narrow, option, label }: Drawing): Html {
  return html`${drawing(option, wide, 'wide', label)}${drawing(option, narrow, 'narrow', label)}`;
}

function drawing(option: Drawing['option'], size: Size, place: string, label: string): Html {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: 'inherit', fontSize }, ...option(size) });
    const inside = bare(chart.renderToSVGString());
    return html`<svg class="chart ${place}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${label}">${new Html(inside)}</svg>`;
  } finally {
    // Or it would go on looking for changes, and the program would never end.
    chart.dispose();
  }
}

/** What stands in a drawing, without what only a page with scripts needs. */
function bare(svg: string): string {
  return svg
    .replace(/^<svg[^>]*>\s*<rect[^>]*fill="none"[^>]*><\/rect>/, '')
    .replace(/<style ?>[\s\S]*?<\/style>/, '')
    .replace(/<\/svg>\s*$/, '')
    .replaceAll(/ style="font-size:12px;font-family:inherit;"/g, '')
    .replaceAll(/ (?:ecmeta_\w+|class|pointer-events|xml:space)="[^"]*"/g, '')
    .replaceAll(/(?<!\d)\d+\.\d{2,}/g, (number) => String(Number(Number(number).toFixed(1))))
    .replaceAll(/><\/(?:path|rect|circle)>/g, '/>')
    .replaceAll(/\n+/g, '\n')
    .trim();
}
