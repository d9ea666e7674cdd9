/** Usage and cost of teams, figures by month, and, if requested, the people with the most credits. */
import type { OrganizationFigures, PersonFigures, TeamFigures } from '../../model/report.ts';
import { monthText } from './day-words.ts';
import { barOf, figureTable, named, rowName } from './figure-table.ts';
import { type Html, html } from './html.ts';
import { drawn, moneyText, shareOf, sumOf } from './number-words.ts';

/** Names in place of a team: for users without a team, and for credits without a user. */
const noTeams = ['unassigned', 'unattributed'];

/** Teams, with their cost if prices are known. */
export function teamsSection({ teams, totals }: OrganizationFigures): Html | undefined {
  const rows = teams.filter(({ team }) => team !== null);
  if (rows.length === 0) return undefined;
  const hasTeams = rows.some(({ team }) => !noTeams.includes(team ?? ''));
  const hasCost = totals.currency !== null;
  const total = sumOf(rows.map(({ credits }) => credits));
  const currency = totals.currency ?? '';
  return html`<section class="card full"><h3>Teams</h3>
<p class="note">${
    hasTeams
      ? 'Users count for the team of each day. unassigned: without a team; unattributed: credits that no user accounts for.'
      : 'No teams are known yet: `people import` adds them.'
  }</p>
${figureTable({
  name: 'teams',
  caption: 'Credits by team',
  of: 'Team',
  columns: [
    { title: 'Users on the busiest day', name: 'busiest_day' },
    { title: 'Credits', name: 'credits' },
    ...(hasCost
      ? [
          { title: `Cost in ${currency}`, name: 'cost', text: moneyText },
          { title: 'Credits without a price', name: 'unpriced_credits' },
        ]
      : []),
  ],
  rows: rows.map((row) => ({
    key: [row.team ?? ''],
    shown: rowName(named(row.team ?? ''), { bar: barOf(drawn(shareOf(row.credits, total)), 3) }),
    figures: figuresOf(row, hasCost),
  })),
})}</section>
`;
}

function figuresOf(row: TeamFigures, hasCost: boolean) {
  return [row.busiest_day, row.credits, ...(hasCost ? [row.cost, row.unpriced_credits] : [])];
}

/** The whole calendar months that the range touches. */
export function monthsSection({ months }: OrganizationFigures): Html | undefined {
  if (months.length === 0) return undefined;
  return html`<section class="card full"><h3>Month by month</h3>
<p class="note">Whole calendar months, also where the range cuts them. Active users are distinct within the month: they cannot be added up. Run rate: the credits of the current month at its pace so far.</p>
${figureTable({
  name: 'months',
  caption: 'Figures of whole months',
  of: 'Month',
  columns: [
    { title: 'Active users', name: 'active_users' },
    { title: 'New', name: 'new_users' },
    { title: 'Returning', name: 'returning_users' },
    { title: 'Stopped', name: 'stopped_users' },
    { title: 'Credits', name: 'credits' },
    { title: 'Run rate', name: 'run_rate_credits' },
    { title: 'Sessions', name: 'sessions' },
    { title: 'Tool calls', name: 'tool_calls' },
    { title: 'Commits', name: 'git_commits' },
    { title: 'Pull requests', name: 'git_prs_created' },
  ],
  rows: months.map((month) => ({
    key: [month.period],
    shown: html`${monthText(month.period)}${
      month.is_complete ? undefined : html` <span class="sub">not whole</span>`
    }`,
    figures: [
      month.active_users,
      month.new_users,
      month.returning_users,
      month.stopped_users,
      month.credits,
      month.run_rate_credits,
      month.sessions,
      month.tool_calls,
      month.git_commits,
      month.git_prs_created,
    ],
  })),
})}</section>
`;
}

/** The people with the most credits. */
export function peopleSection(people: readonly PersonFigures[] | undefined): Html | undefined {
  if (people === undefined || people.length === 0) return undefined;
  const most = drawn(people[0]?.credits ?? null) ?? 0;
  return html`<section class="card full"><h3>People</h3>
<p class="note">The people with the most credits. Personal data: this page was made with --with-people.</p>
${figureTable({
  name: 'people',
  caption: 'People who used most credits',
  of: 'Person',
  columns: [
    { title: 'Credits', name: 'credits' },
    { title: 'Active days', name: 'active_days' },
    { title: 'Sessions', name: 'sessions' },
    { title: 'Commits', name: 'git_commits' },
  ],
  rows: people.map((person) => ({
    key: [person.user_id],
    shown: rowName(named(person.user_email ?? person.user_id), {
      more: named(person.team ?? ''),
      bar: barOf(most === 0 ? 0 : (drawn(person.credits) ?? 0) / most),
    }),
    figures: [person.credits, person.active_days, person.sessions, person.git_commits],
  })),
})}</section>
`;
}
