/** The most used tools, servers and languages. */
import type { OrganizationFigures, TopName } from '../../model/report.ts';
import { numberText } from '../number-text.ts';
import { barOf, figureTable, named } from './figure-table.ts';
import { type Html, html } from './html.ts';
import { drawn, percentText, shareOf, sumOf } from './number-words.ts';

/** A list of tools, one of servers and one of languages; an empty list is left out. */
export function topSection({ topTools, topServers, topLanguages }: OrganizationFigures): Html {
  return html`${top('top_tools', 'Tools', 'Tool', 'Calls', topTools, 1)}${top(
    'top_servers',
    'MCP servers',
    'Server',
    'Calls',
    topServers,
    2,
  )}${top('top_languages', 'Languages', 'Language', 'File operations', topLanguages, 4)}`;
}

function top(
  name: string,
  title: string,
  of: string,
  what: string,
  rows: readonly TopName[],
  color: number,
): Html | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const most = drawn(first.count) ?? 0;
  const shown = shareOf(sumOf(rows.map(({ count }) => count)), first.count_of_all);
  const rest = first.names - rows.length;
  const note =
    rest > 0 && shown !== null
      ? `The first ${rows.length} of ${numberText(first.names)} have ${(100 * Number(shown)).toFixed(0)}\u202f% of all.`
      : `${what} of each.`;
  return html`<section class="card third"><h3>${title}</h3>
<p class="note">${note}</p>
${figureTable({
  name,
  caption: `${title} by ${what.toLowerCase()}`,
  of,
  columns: [
    { title: what, name: 'count' },
    { title: 'Share', name: 'share', text: percentText },
  ],
  rows: rows.map((row) => ({
    key: [row.name],
    shown: html`${named(row.name)}${barOf(most === 0 ? 0 : (drawn(row.count) ?? 0) / most, color)}`,
    figures: [row.count, shareOf(row.count, row.count_of_all)],
  })),
})}</section>
`;
}
