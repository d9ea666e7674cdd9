/**
 * Draws charts as SVG without a browser. A chart contains only days and numbers; names from outside are in the HTML
 * beside it. Colours are CSS variables, which the page sets for light and dark.
 */
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { type EChartsCoreOption, init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { Html, html } from './html.ts';

use([BarChart, LineChart, GridComponent, SVGRenderer]);
// Text cannot be measured without a browser. `textWidth` is a little more than most fonts need, so labels never touch.
setPlatformAPI({ measureText: (text) => ({ width: textWidth(text) }) });

/** Font size in a chart, in its own units. */
export const fontSize = 12;

/** The width that a text has at most, in most fonts. */
export function textWidth(text: string): number {
  return text.length * fontSize * 0.6;
}

/** The size of a chart. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A chart in two sizes: for a wide page and for a phone. */
export interface Drawing {
  readonly wide: Size;
  readonly narrow: Size;
  readonly option: (size: Size) => EChartsCoreOption;
  /** A description in a sentence. */
  readonly label: string;
}

/** The full width of the page, or half of it. */
export const sizes = {
  full: { wide: { width: 940, height: 300 }, narrow: { width: 340, height: 240 } },
  half: { wide: { width: 450, height: 260 }, narrow: { width: 340, height: 240 } },
} as const;

/** Both sizes of a chart; the page shows one of them. */
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
    // A chart that is not disposed would keep the process alive.
    chart.dispose();
  }
}

/** The content of a drawing, without the parts that only scripts use. */
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
