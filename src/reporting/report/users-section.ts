/** Active users, and new, returning and stopped users. */
import type { OrganizationFigures } from '../../model/report.ts';
import { barsOf, linesOf } from './charts.ts';
import { longDay, periodLabel, periodText, shortDay } from './day-words.ts';
import { tableBehind } from './figure-table.ts';
import { type Html, html } from './html.ts';
import { legend } from './legend.ts';
import { drawn, percentText } from './number-words.ts';
import { sizes, svgChart } from './svg-chart.ts';

/** Active users by day, week and month, stickiness, and new, returning and stopped users. */
export function usersSection(figures: OrganizationFigures): Html {
  return html`${activeUsers(figures)}${stickiness(figures)}${comingAndGoing(figures)}`;
}

function activeUsers({ days }: OrganizationFigures): Html {
  const series = [
    { title: 'in 30 days', values: days.map((day) => day.monthly_active_users) },
    { title: 'in 7 days', values: days.map((day) => day.weekly_active_users) },
    { title: 'on the day', values: days.map((day) => day.daily_active_users) },
  ];
  return html`<section class="card half"><h3>Active users</h3>
<p class="note">As the platform counts them, up to each day.</p>
${legend(series.map(({ title }, place) => ({ title, color: place + 1 })))}
${svgChart({
  ...sizes.half,
  label:
    'Lines: users active on each day, in the 7 days and in the 30 days up to it. The figures are in the table below.',
  option: (size) =>
    linesOf(
      {
        labels: days.map(({ usage_date }) => shortDay(usage_date)),
        series: series.map(({ values }, place) => ({ color: place + 1, values: values.map(drawn) })),
      },
      size,
    ),
})}
${tableBehind({
  name: 'active_users',
  caption: 'Active users and stickiness by day',
  of: 'day',
  columns: [
    { title: 'On the day', name: 'daily_active_users' },
    { title: 'In 7 days', name: 'weekly_active_users' },
    { title: 'In 30 days', name: 'monthly_active_users' },
    { title: 'Stickiness', name: 'stickiness', text: percentText },
  ],
  rows: days.map((day) => ({
    key: [day.usage_date],
    shown: longDay(day.usage_date),
    figures: [day.daily_active_users, day.weekly_active_users, day.monthly_active_users, day.stickiness],
  })),
})}</section>
`;
}

function stickiness({ days }: OrganizationFigures): Html {
  return html`<section class="card half"><h3>Stickiness</h3>
<p class="note">Of those active in 30 days, the share who were active on the day.</p>
${svgChart({
  ...sizes.half,
  label:
    'Line: users active on each day as a share of those active in 30 days. The figures are in the table of active users.',
  option: (size) =>
    linesOf(
      {
        labels: days.map(({ usage_date }) => shortDay(usage_date)),
        series: [{ color: 4, values: days.map((day) => drawn(day.stickiness)) }],
        shares: 'parts',
      },
      size,
    ),
})}</section>
`;
}

function comingAndGoing({ userChanges, unitOfUsers }: OrganizationFigures): Html {
  const series = [
    { title: 'returning', color: 1, values: userChanges.map((each) => each.returning_users) },
    { title: 'new', color: 2, values: userChanges.map((each) => each.new_users) },
    {
      title: `stopped: active the ${unitOfUsers} before`,
      color: 3,
      values: userChanges.map((each) => each.stopped_users),
    },
  ];
  return html`<section class="card half"><h3>Who comes, stays and goes</h3>
<p class="note">Distinct users of each whole ${unitOfUsers}. In an organization’s first 28 days everyone is new.</p>
${legend(series)}
${svgChart({
  ...sizes.half,
  label: `Stacked bars: returning and new users of each ${unitOfUsers} above the axis, those who stopped below it. The figures are in the table below.`,
  option: (size) =>
    barsOf(
      {
        labels: userChanges.map(({ period }) => periodLabel(period, unitOfUsers)),
        series: series.map(({ color, values }) => ({
          color,
          values: values.map((value) => (color === 3 && value !== null ? -Number(value) : drawn(value))),
        })),
      },
      size,
    ),
})}
${tableBehind({
  name: 'comings',
  caption: `New, returning and stopped users by ${unitOfUsers}`,
  of: unitOfUsers,
  columns: [
    { title: 'Active', name: 'active_users' },
    { title: 'New', name: 'new_users' },
    { title: 'Returning', name: 'returning_users' },
    { title: 'Stopped', name: 'stopped_users' },
  ],
  rows: userChanges.map((each) => ({
    key: [each.period],
    shown: periodText(each.period, unitOfUsers),
    figures: [each.active_users, each.new_users, each.returning_users, each.stopped_users],
  })),
})}</section>
`;
}
