/** The page of a report: one file, without scripts and network requests. */
import { createHash } from 'node:crypto';
import Big from 'big.js';
import { inShell } from '../../model/installation.ts';
import type { OrganizationFigures, ReportFigures } from '../../model/report.ts';
import { counted } from '../number-text.ts';
import { creditsSection } from './credits-section.ts';
import { rangeText } from './day-words.ts';
import { comparison, headFigures, isComparable } from './head-figures.ts';
import { heatMap } from './heat-map.ts';
import { Html, html } from './html.ts';
import { mixSection } from './mix-section.ts';
import { changeOf, figure, shortText } from './number-words.ts';
import { healthSection, readinessSection } from './state-section.ts';
import { style } from './style.ts';
import { monthsSection, peopleSection, teamsSection } from './teams-section.ts';
import { topSection } from './top-section.ts';
import { usersSection } from './users-section.ts';

/** The content security policy: it allows nothing but the page's own style sheet. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** The text of the file. The texts of the figures must be sanitized. */
export function reportPage(report: ReportFigures): string {
  const { range, madeAt, appVersion, organizations } = report;
  const many = organizations.length > 1;
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="usage-etl ${appVersion}">
<title>Agent usage, ${rangeText(range)}</title>
<style>${new Html(style)}</style>
</head>
<body>
<header>
<p class="eyebrow">Agent usage</p>
<h1>${rangeText(range)}</h1>
<p class="note">${counted(daysOf(report), 'day')}, UTC</p>
${many ? contents(organizations) : undefined}
</header>
<main>
${organizations.length === 0 ? nothingLoaded() : organizations.map((each, place) => part(each, place + 1))}
</main>
<footer>Made by usage-etl ${appVersion} on ${madeAt} UTC from the views of schema bi. Figures are rounded where they are shown; the page holds them exactly.</footer>
</body>
</html>
`}`;
}

function daysOf({ range, organizations }: ReportFigures): number {
  return organizations[0]?.days.length ?? (Date.parse(range.to) - Date.parse(range.from)) / 86_400_000 + 1;
}

function contents(organizations: readonly OrganizationFigures[]): Html {
  return html`<nav aria-label="Organizations"><ul>${organizations.map(
    ({ organization }, place) => html`<li><a href="#organization-${place + 1}">${organization}</a></li>`,
  )}</ul></nav>`;
}

function nothingLoaded(): Html {
  return html`<p class="card empty">No data: the warehouse holds no organization yet. Start with <code>${inShell('backfill')}</code>.</p>`;
}

function part(figures: OrganizationFigures, number: number): Html {
  const { organization, totals } = figures;
  return html`<article id="organization-${number}" data-organization="${organization}">
<h2>${organization}</h2>
${totals.has_any ? filled(figures) : empty(figures)}
</article>
`;
}

function empty(figures: OrganizationFigures): Html {
  const days = figures.endpoints.flatMap(({ first_day, last_day }) => [first_day, last_day]);
  const held = days.filter((each) => each !== null).sort();
  const [first, last] = [held[0], held.at(-1)];
  const known =
    first === undefined || last === undefined
      ? 'Nothing is loaded yet.'
      : `Loaded: ${rangeText({ from: first, to: last })}.`;
  return html`<p class="card empty">No data for these days. ${known} <code>${inShell(`backfill --from ${figures.range.from} --to ${figures.range.to}`)}</code> loads the platform's data.</p>
<div class="grid">${healthSection(figures)}</div>`;
}

function filled(figures: OrganizationFigures): Html {
  return html`<p class="lead">${summary(figures)}</p>
<p class="note">${comparison(figures)}</p>
${headFigures(figures)}
<div class="grid">
${figures.models.length > 0 ? creditsSection(figures) : undefined}${monthsSection(figures)}${usersSection(figures)}${heatMap(figures)}${mixSection(figures)}${topSection(figures)}${teamsSection(figures)}${peopleSection(figures.people)}${readinessSection(figures)}${healthSection(figures)}
</div>`;
}

/** A summary in a sentence. */
function summary(figures: OrganizationFigures): Html {
  const { totals, before } = figures;
  if (totals.credits === null || totals.active_users === null)
    return html`Not all figures of these days are known.`;
  const change = isComparable(figures) ? changeOf(totals.credits, before.credits) : undefined;
  const each =
    totals.active_users === '0' ? undefined : new Big(totals.credits).div(totals.active_users).toFixed(6);
  return html`${figure(totals.active_users, shortText)} ${totals.active_users === '1' ? 'person' : 'people'} used ${figure(totals.credits, shortText)} credits${
    change === undefined ? '' : `, ${change.text} ${change.words}`
  }${each === undefined ? '' : html`: ${figure(each, shortText)} each`}. With their agents they made ${figure(totals.git_commits, shortText)} ${totals.git_commits === '1' ? 'commit' : 'commits'} and ${figure(totals.git_prs_created, shortText)} ${totals.git_prs_created === '1' ? 'pull request' : 'pull requests'}.`;
}
