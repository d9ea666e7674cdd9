/** The mix of clients, and the autonomy of agents. */
import type { AutonomyFigures, ClientFigures, Exact, OrganizationFigures } from '../../model/report.ts';
import { barsOf, linesOf } from './charts.ts';
import { periodLabel, periodsOf, periodText, wholePeriods } from './day-words.ts';
import { figureTable, named, rowName, tableBehind } from './figure-table.ts';
import { type Html, html } from './html.ts';
import { drawn, largerFirst, percentText } from './number-words.ts';
import { light } from './palette.ts';
import { sizes, svgChart } from './svg-chart.ts';

/** The charts of clients and autonomy; a chart without data is left out. */
export function mixSection(figures: OrganizationFigures): Html {
  return html`${figures.clients.length > 0 ? clients(figures) : undefined}${
    figures.autonomy.length > 0 ? autonomy(figures) : undefined
  }`;
}

interface Group {
  readonly name: string;
  readonly description: string | null;
  readonly figure: Exact;
  readonly color: number;
}

function keyed({ name, description, color }: Group): Html {
  return rowName(named(name), { color, ...(description === null ? {} : { more: named(description) }) });
}

function clients({ clients: rows, unitOfMix: unit, range }: OrganizationFigures): Html {
  const periods = wholePeriods(periodsOf(rows), range, unit);
  const groups = clientsOf(rows);
  const of = new Map(rows.map((row) => [`${row.period} ${row.client_type}`, row.busiest_day]));
  const course = (name: string) => periods.map((period) => of.get(`${period} ${name}`) ?? null);
  return html`<section class="card half"><h3>Adoption by client</h3>
<p class="note">Users on the busiest day${unit === 'day' ? '' : ` of each whole ${unit}`}. A user of several clients counts in each.</p>
${svgChart({
  ...sizes.half,
  label: `Lines: users of each client on the busiest day of each ${unit}. The figures are in the tables below.`,
  option: (size) =>
    linesOf(
      {
        labels: periods.map((period) => periodLabel(period, unit)),
        series: groups.map(({ name, color }) => ({ color, values: course(name).map(drawn) })),
      },
      size,
    ),
})}
${figureTable({
  name: 'clients',
  caption: 'Users on the busiest day, by client',
  of: 'Client',
  columns: [{ title: 'Users on the busiest day', name: 'users_on_the_busiest_day' }],
  rows: groups.map((group) => ({ key: [group.name], shown: keyed(group), figures: [group.figure] })),
})}
${tableBehind({
  name: 'clients_by_period',
  caption: `Users on the busiest day of each ${unit}, by client`,
  of: unit,
  columns: groups.map(({ name }) => ({ title: named(name, 40) })),
  rows: periods.map((period) => ({
    key: [period],
    shown: periodText(period, unit),
    figures: groups.map(({ name }) => of.get(`${period} ${name}`) ?? null),
  })),
})}</section>
`;
}

function clientsOf(rows: readonly ClientFigures[]): Group[] {
  const byName = new Map<string, ClientFigures>();
  for (const row of rows) {
    const known = byName.get(row.client_type);
    if (known === undefined || largerFirst(row.busiest_day, known.busiest_day) < 0)
      byName.set(row.client_type, row);
  }
  return [...byName.values()]
    .sort((a, b) => largerFirst(a.busiest_day, b.busiest_day) || (a.client_type < b.client_type ? -1 : 1))
    .map(({ client_type, description, busiest_day }, place) => ({
      name: client_type,
      description,
      figure: busiest_day,
      color: colorAt(place),
    }));
}

function autonomy({ autonomy: rows, unitOfMix: unit, range }: OrganizationFigures): Html {
  const periods = wholePeriods(periodsOf(rows), range, unit);
  const groups = levelsOf(rows);
  const of = new Map(rows.map((row) => [`${row.period} ${row.autonomy_level}`, row.share]));
  return html`<section class="card half"><h3>Autonomy</h3>
<p class="note">Shares of tool calls by autonomy level. The lowest level asks before each action.</p>
${svgChart({
  ...sizes.half,
  label: `Stacked bars: shares of tool calls of each ${unit} by level of autonomy. The figures are in the tables below.`,
  option: (size) =>
    barsOf(
      {
        labels: periods.map((period) => periodLabel(period, unit)),
        series: groups.map(({ name, color }) => ({
          color,
          values: periods.map((period) => drawn(of.get(`${period} ${name}`) ?? null)),
        })),
        shares: 'whole',
      },
      size,
    ),
})}
${figureTable({
  name: 'autonomy',
  caption: 'Share of tool calls by level of autonomy',
  of: 'Level',
  columns: [{ title: 'Share of tool calls', name: 'share_of_tool_calls', text: percentText }],
  rows: groups
    .toReversed()
    .map((group) => ({ key: [group.name], shown: keyed(group), figures: [group.figure] })),
})}
${tableBehind({
  name: 'autonomy_by_period',
  caption: `Share of tool calls of each ${unit}, by level of autonomy`,
  of: unit,
  columns: groups.map(({ name }) => ({ title: named(name, 40), text: percentText })),
  rows: periods.map((period) => ({
    key: [period],
    shown: periodText(period, unit),
    figures: groups.map(({ name }) => of.get(`${period} ${name}`) ?? null),
  })),
})}</section>
`;
}

/** The autonomy levels in the order of the rows, which begin with manual. */
function levelsOf(rows: readonly AutonomyFigures[]): Group[] {
  return rows
    .filter(({ period }) => period === null)
    .map(({ autonomy_level, description, share }, place) => ({
      name: autonomy_level,
      description,
      figure: share,
      color: colorAt(place),
    }));
}

function colorAt(place: number): number {
  return Math.min(place + 1, light.drawn.length);
}
