/** Readiness of repositories, and completeness of the data. */
import type Big from 'big.js';
import type { OrganizationFigures, RepositoryFigures } from '../../model/report.ts';
import { longDay } from './day-words.ts';
import { barOf, figureTable, named } from './figure-table.ts';
import { type Html, html } from './html.ts';
import { drawn, percentText, unknown } from './number-words.ts';

/** Repositories and criteria by their newest reports; undefined without reports. */
export function readinessSection({ repositories, criteria }: OrganizationFigures): Html | undefined {
  if (repositories.length === 0) return undefined;
  return html`<section class="card half"><h3>Readiness of repositories</h3>
<p class="note">Share of points reached, by the newest report of each repository, on any day.</p>
${figureTable({
  name: 'repositories',
  caption: 'Readiness of repositories',
  of: 'Repository',
  columns: [
    { title: 'Score', name: 'score', text: percentText },
    { title: 'Change', name: 'score_change', text: changeText },
  ],
  rows: repositories.map((row) => ({
    key: [row.repo_url],
    shown: html`${named(nameOf(row))}${row.is_listed ? undefined : html` <span class="sub">not listed any more</span>`}${barOf(drawn(row.score), 2)}`,
    figures: [row.score, row.score_change],
  })),
})}</section>
<section class="card half"><h3>Criteria, least passed first</h3>
<p class="note">Repositories that pass a criterion completely, among those whose newest report has it.</p>
${figureTable({
  name: 'criteria',
  caption: 'Readiness by criterion',
  of: 'Criterion',
  columns: [
    { title: 'Passing', name: 'passing' },
    { title: 'Of', name: 'repositories' },
    { title: 'Share', name: 'passing_share', text: percentText },
  ],
  rows: criteria.map((row) => ({
    key: [row.criterion_id],
    shown: html`${named(row.criterion_id)}${barOf(drawn(row.passing_share), 2)}`,
    figures: [row.passing, row.repositories, row.passing_share],
  })),
})}</section>
`;
}

function nameOf({ owner, name, repo_url }: RepositoryFigures): string {
  return owner === null || name === null ? repo_url : `${owner}/${name}`;
}

/** A change of a share in percentage points, with a sign. */
function changeText(change: Big): string {
  const points = change.times(100).toFixed(1).replace('-', '−');
  return change.gt(0) ? `+${points}` : points;
}

/** The coverage of each endpoint. */
export function healthSection({ endpoints, totals, days }: OrganizationFigures): Html {
  return html`<section class="card full"><h3>How whole the data is</h3>
<p class="note">${
    totals.missing_days === 0
      ? `All ${days.length} days of this page are loaded.`
      : `${totals.missing_days} of ${days.length} days of this page have missing data: the figures above lack them.`
  }</p>
<div class="scroll" role="region" aria-label="How whole the data is" tabindex="0"><table data-figures="endpoints"><caption>How far each endpoint reaches</caption>
<thead><tr><th scope="col">Endpoint</th><th scope="col">Held from</th><th scope="col">to</th><th scope="col" data-column="days_missing">Gaps</th><th scope="col" data-column="rows_rejected">Rejected rows</th></tr></thead>
<tbody>${endpoints.map(
    (
      row,
    ) => html`<tr data-key="${JSON.stringify([row.endpoint])}"><th scope="row">${row.endpoint}</th><td>${row.first_day === null ? unknown : longDay(row.first_day)}</td><td>${row.last_day === null ? unknown : longDay(row.last_day)}</td><td>${dataOf(row.days_missing)}</td><td>${dataOf(row.rows_rejected)}</td></tr>
`,
  )}</tbody></table></div>
<p class="note">${loadedWords(endpoints)}</p></section>
`;
}

function dataOf(exact: string | null): Html {
  return html`<data value="${exact ?? ''}">${exact ?? unknown}</data>`;
}

function loadedWords(endpoints: OrganizationFigures['endpoints']): string {
  const last = endpoints
    .flatMap(({ last_loaded_at }) => last_loaded_at ?? [])
    .sort()
    .at(-1);
  return last === undefined ? 'Nothing was loaded yet.' : `Last change loaded at ${last} UTC.`;
}
