/** Tables of figures: visible tables, and collapsed ones with the figures of a chart. */
import type Big from 'big.js';
import type { Exact } from '../../model/report.ts';
import { type Content, type Html, html } from './html.ts';
import { figure, wholeText } from './number-words.ts';

/** A column of figures. */
export interface FigureColumn {
  readonly title: string;
  /** The name of the column for programs that read the page; default the title. */
  readonly name?: string;
  /** The format of the figures; default whole numbers. */
  readonly text?: (value: Big) => string;
}

/** A row: its key and one figure per column. */
export interface FigureRow {
  /** The key of the row for programs that read the page. */
  readonly key: readonly string[];
  /** What the reader sees instead of the key; default the first part of the key. */
  readonly shown?: Content;
  readonly figures: readonly Exact[];
}

/** A table. */
export interface FigureTable {
  /** The name of the table for programs that read the page, unique within an organization. */
  readonly name: string;
  /** A description for screen readers. */
  readonly caption: string;
  /** Heading of the first column. */
  readonly of: string;
  readonly columns: readonly FigureColumn[];
  readonly rows: readonly FigureRow[];
}

/** A table; it scrolls when it is too wide. */
export function figureTable({ name, caption, of, columns, rows }: FigureTable): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table data-figures="${name}">
<caption>${caption}</caption>
<thead><tr><th scope="col">${of}</th>${columns.map(
    (column) => html`<th scope="col" data-column="${column.name ?? column.title}">${column.title}</th>`,
  )}</tr></thead>
<tbody>${rows.map(
    ({ key, shown, figures }) =>
      html`<tr data-key="${JSON.stringify(key)}"><th scope="row">${shown ?? key[0]}</th>${columns.map(
        ({ text = wholeText }, place) => html`<td>${figure(figures[place] ?? null, text)}</td>`,
      )}</tr>
`,
  )}</tbody></table></div>`;
}

/** A table that is collapsed until the reader opens it. */
export function tableBehind(table: FigureTable): Html {
  return html`<details><summary>Figures</summary>${figureTable(table)}</details>`;
}

/** A bar whose length is the share, from 0 to 1. Screen readers skip it, because the figure stands beside it. */
export function barOf(share: number | null, color = 1): Html {
  const width = (100 * Math.min(1, Math.max(0, share ?? 0))).toFixed(1);
  return html`<svg class="bar" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="3"/><rect class="fill${color}" width="${width}%" height="100%" rx="3"/></svg>`;
}

/** The first cell of a row: colour, name, a further word, and a bar. */
export function rowName(
  name: Content,
  { color, more, bar }: { readonly color?: number; readonly more?: Content; readonly bar?: Html } = {},
): Html {
  return html`<span class="row">${color === undefined ? undefined : html`<i class="key key${color}"></i>`}<span class="name">${name}${
    more === undefined ? undefined : html` <span class="sub">${more}</span>`
  }</span>${bar}</span>`;
}

/** A reported name, cut to `mostCharacters`. */
export function named(name: string, mostCharacters = 80): string {
  return name.length <= mostCharacters
    ? name
    : `${name.slice(0, mostCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
