/** Credits by model over time, and the run rate of the current month. */
import Big from 'big.js';
import type { Exact, ModelCredits, OrganizationFigures } from '../../model/report.ts';
import { barsOf } from './charts.ts';
import { monthText, periodLabel, periodsOf, periodText } from './day-words.ts';
import { barOf, figureTable, named, rowName, tableBehind } from './figure-table.ts';
import { type Html, html } from './html.ts';
import { changeOf, drawn, largerFirst, percentText, shareOf, shortText, sumOf } from './number-words.ts';
import { light } from './palette.ts';
import { sizes, svgChart } from './svg-chart.ts';

/** Number of models with their own colour; all other models share the last colour. */
const colored = light.drawn.length - 1;

interface Model {
  readonly key: readonly [string, string];
  readonly credits: Exact;
  readonly color: number;
}

/** A chart, a table with the legend, and the figures of the chart. */
export function creditsSection(figures: OrganizationFigures): Html {
  const models = modelsOf(figures.models);
  const { unit } = figures;
  const periods = periodsOf(figures.models);
  const shown = models.filter(({ color }) => color <= colored);
  const others = models.slice(shown.length);
  const columns = [
    ...shown.map((model) => ({ title: titleOf(model), color: model.color, of: [model] })),
    ...(others.length === 0 ? [] : [{ title: 'other models', color: colored + 1, of: others }]),
  ];
  const byPeriod = creditsByPeriod(figures.models);
  const course = (of: readonly Model[]) =>
    periods.map((period) => sumOf(of.map(({ key }) => byPeriod.get(`${period} ${keyText(key)}`) ?? null)));
  const courses = columns.map(({ of }) => course(of));
  const total = sumOf(models.map(({ credits }) => credits));
  return html`<section class="card full"><h3>Credits by model</h3>
<p class="note">Standard Credits of each ${unit}${unit === 'week' ? ', from Monday on; the first and the last may be cut by the range' : ''}.${runRateWords(figures)}</p>
${svgChart({
  ...sizes.full,
  label: `Stacked bars: credits of each ${unit} by model. The figures are in the tables below.`,
  option: (size) =>
    barsOf(
      {
        labels: periods.map((period) => periodLabel(period, unit)),
        series: columns.map(({ color }, place) => ({ color, values: (courses[place] ?? []).map(drawn) })),
      },
      size,
    ),
})}
${figureTable({
  name: 'models',
  caption: 'Credits by model',
  of: 'Model',
  columns: [
    { title: 'Credits', name: 'credits' },
    { title: 'Share', name: 'share', text: percentText },
  ],
  rows: models.map((model) => ({
    key: model.key,
    shown: rowName(named(model.key[0]), {
      color: Math.min(model.color, colored + 1),
      more: named(model.key[1]),
      bar: barOf(drawn(shareOf(model.credits, total)), Math.min(model.color, colored + 1)),
    }),
    figures: [model.credits, shareOf(model.credits, total)],
  })),
})}
${tableBehind({
  name: 'credits_by_period',
  caption: `Credits by ${unit} and model`,
  of: unit,
  columns: columns.map(({ title }) => ({ title })),
  rows: periods.map((period, row) => ({
    key: [period],
    shown: periodText(period, unit),
    figures: courses.map((each) => each[row] ?? null),
  })),
})}</section>
`;
}

function modelsOf(rows: readonly ModelCredits[]): Model[] {
  const credits = new Map<string, { readonly key: readonly [string, string]; readonly parts: Exact[] }>();
  for (const row of rows) {
    const key = [row.model_id, row.model_tier] as const;
    const known = credits.get(keyText(key)) ?? { key, parts: [] };
    known.parts.push(row.credits);
    credits.set(keyText(key), known);
  }
  return [...credits.values()]
    .map(({ key, parts }) => ({ key, credits: sumOf(parts) }))
    .sort((a, b) => largerFirst(a.credits, b.credits) || (keyText(a.key) < keyText(b.key) ? -1 : 1))
    .map((model, place) => ({ ...model, color: place + 1 }));
}

function keyText(key: readonly [string, string]): string {
  return JSON.stringify(key);
}

function titleOf({ key: [model, tier] }: Model): string {
  return `${named(model, 40)} ${named(tier, 20)}`;
}

/** The credits by period and model. Models whose names became equal by redaction are summed. */
function creditsByPeriod(rows: readonly ModelCredits[]): ReadonlyMap<string, Exact> {
  const credits = new Map<string, Exact>();
  for (const row of rows) {
    const place = `${row.period} ${keyText([row.model_id, row.model_tier])}`;
    credits.set(place, sumOf([credits.get(place) ?? null, row.credits]));
  }
  return credits;
}

/** A sentence about the credits of the current month if its pace continues, compared with the month before. */
function runRateWords({ months }: OrganizationFigures): string {
  const place = months.findIndex(({ run_rate_credits }) => run_rate_credits !== null);
  const [month, before] = [months[place], months[place - 1]];
  if (month?.run_rate_credits == null || month.credits === null) return '';
  const change = before?.is_complete === true ? changeOf(month.run_rate_credits, before.credits) : undefined;
  const against =
    change === undefined || before === undefined
      ? ''
      : `, ${change.text} ${change.words.replace('before', `in ${monthText(before.period)}`)}`;
  return ` ${monthText(month.period)} has used ${words(month.credits)} so far; at this rate it ends near ${words(month.run_rate_credits)}${against}.`;
}

function words(exact: string): string {
  return shortText(new Big(exact));
}
