/** Sessions by weekday: a table with cells coloured by value. */
import Big from 'big.js';
import type { Day } from '../../model/day.ts';
import { day as dayOf } from '../../model/day.ts';
import type { DayFigures, Exact, OrganizationFigures } from '../../model/report.ts';
import { longDay, monthText, shortDay } from './day-words.ts';
import { type Html, html } from './html.ts';
import { figure, shortText, sumOf } from './number-words.ts';
import { heatSteps } from './palette.ts';

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const longWeekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** Most weeks that are shown as rows; a longer range is shown by month. */
const mostWeeks = 18;

/** The table. Its rows are weeks; for a long range they are months, with the mean of each weekday. */
export function heatMap({ days }: OrganizationFigures): Html {
  const weeks = new Set(days.map(({ week_start }) => week_start));
  const isByWeek = weeks.size <= mostWeeks;
  const rowOf = isByWeek ? ({ week_start }: DayFigures) => week_start : monthOf;
  const rows = Map.groupBy(days, rowOf);
  const cells = [...rows].map(([start, its]) => ({
    start,
    figures: weekdays.map((_, place) => meanOf(its.filter((each) => each.day_of_week === place + 1))),
  }));
  const most = Math.max(...cells.flatMap(({ figures }) => figures.map(Number)), 1);
  return html`<section class="card half"><h3>Sessions by weekday</h3>
<p class="note">${isByWeek ? 'Rows are weeks' : 'Rows are months, with the mean of each weekday'}. The darker a cell, the more sessions.</p>
<div class="scroll" role="region" aria-label="Sessions by weekday" tabindex="0"><table class="heat" data-figures="weekdays"><caption>Sessions by weekday</caption><colgroup><col></colgroup>
<thead><tr><th scope="col">${isByWeek ? 'Week of' : 'Month'}</th>${weekdays.map(
    (weekday, place) =>
      html`<th scope="col" data-column="${place + 1}"><abbr title="${longWeekdays[place]}">${weekday}</abbr></th>`,
  )}</tr></thead><tbody>${cells.map(
    ({
      start,
      figures,
    }) => html`<tr data-key="${JSON.stringify([start])}"><th scope="row">${isByWeek ? html`<abbr title="${longDay(start)}">${shortDay(start)}</abbr>` : monthText(start)}</th>${figures.map((each) => cell(each, most))}</tr>
`,
  )}</tbody></table></div></section>
`;
}

function cell(exact: Exact, most: number): Html {
  const step = Math.ceil((Number(exact) / most) * heatSteps);
  return html`<td class="h${step}">${exact === null ? undefined : figure(exact, shortText)}</td>`;
}

function monthOf({ usage_date }: DayFigures): Day {
  return dayOf(`${usage_date.slice(0, 7)}-01`);
}

function meanOf(days: readonly DayFigures[]): Exact {
  const known = days.filter(({ sessions }) => sessions !== null);
  const sum = sumOf(known.map(({ sessions }) => sessions));
  return sum === null || known.length === 1 ? sum : new Big(sum).div(known.length).toFixed(2);
}
