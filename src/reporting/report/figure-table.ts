/** Tables of figures: those that are shown, and those behind a chart. */
import type Big from 'big.js';
import type { Exact } from '../../model/report.ts';
import { type Content, type Html, html } from './html.ts';
import { figure, wholeText } from './number-words.ts';

/** A column of figures. */
export interface FigureColumn {
  readonly title: string;
  /** What programs know it by; default the title. */
  readonly name?: string;
  /** How its figures show; default whole numbers. */
  readonly text?: (value: Big) => string;
}

/** A row: what it is about, and a figure for each column. */
export interface FigureRow {
  /** What programs know the row by. */
  readonly key: readonly string[];
  /** How it shows; default the first of the key. */
  readonly shown?: Content;
  readonly figures: readonly Exact[];
}

/** What a table is made of. */
export interface FigureTable {
  /** What programs know it by, once in an organization's part. */
  readonly name: string;
  /** What it tells, for whoever does not see it. */
  readonly caption: string;
  /** Heading of the first column. */
  readonly of: string;
  readonly columns: readonly FigureColumn[];
  readonly rows: readonly FigureRow[];
}

/** A table that scrolls within its place where it is wider. */
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

/** The same, behind a line that opens it. */
export function tableBehind(table: FigureTable): Html {
  return html`<details><summary>Figures</summary>${figureTable(table)}</details>`;
}

/** A bar as long as `share` of its place; what it says stands beside it in figures. */
export function barOf(share: number | null, color = 1): Html {
  const width = (100 * Math.min(1, Math.max(0, share ?? 0))).toFixed(1);
  return html`<svg class="bar" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="3"/><rect class="fill${color}" width="${width}%" height="100%" rx="3"/></svg>`;
}

/** What begins a row that has a colour: its key, its name and a word more, and a bar. */
export function rowName(
  name: Content,
  { color, more, bar }: { readonly color?: number; readonly more?: Content; readonly bar?: Html } = {},
): Html {
  return html`<span class="row">${color === undefined ? undefined : html`<i class="key key${color}"></i>`}<span class="name">${name}${
    more === undefined ? undefined : html` <span class="sub">${more}</span>`
  }</span>${bar}</span>`;
}

/** A name that somebody else gave, no longer than can be read. */
export function named(name: string, mostCharacters = 80): string {
  return name.length <= mostCharacters
    ? name
    : `${name.slice(0, mostCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
