/** The figures at the top of a report, each with its change and a small chart of its daily values. */
import type { Exact, OrganizationFigures } from '../../model/report.ts';
import { counted } from '../number-text.ts';
import { type Html, html } from './html.ts';
import { changeOf, drawn, figure, shortText } from './number-words.ts';

/** One figure. */
interface Head {
  readonly name: string;
  readonly title: string;
  readonly now: Exact;
  readonly before: Exact;
  /** The daily values. */
  readonly course: readonly Exact[];
  /** The unit, shown after the figure. */
  readonly unit?: string | undefined;
}

/** One card per figure. */
export function headFigures(figures: OrganizationFigures): Html {
  return html`<div class="grid heads">${headsOf(figures).map((head) => card(head, isComparable(figures)))}</div>`;
}

/** Whether the days before the range are complete, so that changes against them mean something. */
export function isComparable({ before }: OrganizationFigures): boolean {
  return before.has_any && before.missing_days === 0;
}

/** A sentence about the days that changes are compared with. */
export function comparison(figures: OrganizationFigures): string {
  const days = counted(figures.days.length, 'day');
  const { before } = figures;
  if (isComparable(figures))
    return `Changes are against ${figures.days.length === 1 ? 'the day' : `the ${days}`} before.`;
  return before.has_any
    ? `No changes are shown: ${before.missing_days} of the ${days} before have missing data.`
    : `No changes are shown: there is no data of the ${days} before.`;
}

function headsOf({ totals, before, days, teams }: OrganizationFigures): Head[] {
  const costs = new Map(teams.map(({ usage_date, cost }) => [usage_date, cost]));
  const of = (
    name: Exclude<keyof typeof totals & keyof (typeof days)[number], undefined>,
    title: string,
  ): Head => ({ name, title, now: totals[name], before: before[name], course: days.map((day) => day[name]) });
  const cost: Head = {
    name: 'cost',
    title: 'Cost',
    now: totals.cost,
    // Without a price for the days before, the cost would seem to have grown.
    before: before.currency === totals.currency ? before.cost : null,
    course: days.map(({ usage_date }) => costs.get(usage_date) ?? null),
    unit: totals.currency ?? undefined,
  };
  return [
    of('credits', 'Credits'),
    totals.cost === null ? of('messages', 'Messages') : cost,
    {
      name: 'active_users',
      title: 'Active users',
      now: totals.active_users,
      before: before.active_users,
      course: days.map((day) => day.daily_active_users),
    },
    of('sessions', 'Sessions'),
    of('tool_calls', 'Tool calls'),
    of('files_changed', 'Files created or edited'),
    of('git_commits', 'Commits'),
    of('git_prs_created', 'Pull requests'),
  ];
}

function card({ name, title, now, before, course, unit }: Head, compared: boolean): Html {
  const change = compared ? changeOf(now, before) : undefined;
  return html`<section class="card head" data-head="${name}"><h3>${title}</h3>
<p class="value">${figure(now, shortText)}${unit === undefined ? undefined : html` <small class="sub">${unit}</small>`}</p>
<p class="change">${
    change === undefined
      ? undefined
      : html`<span aria-hidden="true">${change.sign}</span> ${change.text}<span class="more"> ${change.words}</span>`
  }</p>
${sparkline(course.map(drawn))}</section>
`;
}

const sparkWidth = 200;
const sparkHeight = 30;
const daysOfMean = 7;

/** A small line chart of a figure without axes. It shows the mean of seven days, because weekends would hide the trend. */
function sparkline(course: readonly (number | null)[]): Html {
  const means = meansOf(course);
  const most = Math.max(...means.map((mean) => mean ?? 0), Number.MIN_VALUE);
  const step = sparkWidth / Math.max(1, means.length - 1);
  const points = means.map((mean, place) =>
    mean === null
      ? null
      : `${(place * step).toFixed(1)} ${(sparkHeight - 2 - (mean / most) * (sparkHeight - 4)).toFixed(1)}`,
  );
  const line = points.map((point, place) =>
    point === null ? '' : `${(points[place - 1] ?? null) === null ? 'M' : 'L'}${point}`,
  );
  const area = points.includes(null) ? '' : `${line.join('')}V${sparkHeight}H0Z`;
  return html`<svg class="spark" viewBox="0 0 ${sparkWidth} ${sparkHeight}" preserveAspectRatio="none" aria-hidden="true"><path class="area" d="${area}"/><path class="line" d="${line.join('')}"/></svg>`;
}

/** The means of seven days each; for a short range the daily values. */
function meansOf(course: readonly (number | null)[]): readonly (number | null)[] {
  if (course.length < 2 * daysOfMean) return course;
  return course.slice(daysOfMean - 1).map((_, place) => meanOf(course.slice(place, place + daysOfMean)));
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
