/** The legend of a chart. */
import { type Content, type Html, html } from './html.ts';

/** A list of colours, by number, with their meanings. */
export function legend(
  entries: readonly { readonly title: string; readonly color: number; readonly more?: Content }[],
): Html {
  return html`<ul class="legend">${entries.map(
    ({ title, color, more }) => html`<li><i class="key key${color}"></i><span>${title}${more}</span></li>`,
  )}</ul>`;
}
