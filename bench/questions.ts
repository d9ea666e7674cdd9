/** Measures every question of `sql/questions` over 90 days and over a year of usage. */
import type pg from 'pg';
import { openPool } from '../src/warehouse/connection/connection.ts';
import { askAsAnalyst, readQuestions } from '../src/warehouse/questions.ts';
import { renewCreditSums } from '../src/warehouse/sums/credit-sums.ts';
import { type BenchContext, timed } from './context.ts';
import { type Figure, median } from './figures.ts';
import { fillStatements, yearOfUsage } from './year-of-usage.ts';

const repetitions = 3;
const ranges = [
  { name: '90 days', days: 90, must: 1000 },
  { name: 'the year', days: 365, must: 3000 },
] as const;

/** Milliseconds of the slowest question, asked by a role that may only read the views; each time is the median of three. */
export async function measureQuestions({ server, quick, say }: BenchContext): Promise<Figure[]> {
  await using warehouse = await server.createWarehouse();
  return await warehouse.session(async (client) => {
    const size = quick ? { users: 200, days: 120 } : yearOfUsage;
    say('questions: making a year of usage');
    for (const statement of fillStatements(size)) await client.query(statement);
    const { ms } = await timed(() => addUp(warehouse.url));
    say(`questions: credits summed by team, as runs do it for the days they load: ${Math.round(ms)} ms`);
    await client.query('vacuum analyze');
    const { rows } = await client.query<{ user_days: string }>(
      'select count(*) as user_days from warehouse.fact_user_daily',
    );
    const figures: Figure[] = [];
    for (const { name, days, must } of ranges) {
      const asked = await askAll(client, days);
      const [slowest, ...others] = asked.toSorted((a, b) => b.ms - a.ms);
      if (slowest === undefined) throw new RangeError('expected questions');
      const next = others.slice(0, 4).map((each) => `${each.question} ${Math.round(each.ms)}`);
      figures.push({
        part: 'questions',
        name: `slowest of ${asked.length} questions over ${name}`,
        value: slowest.ms,
        unit: 'ms',
        target: { of: 'value', better: 'lower', must, aim: must / 2 },
        note: `${Number(rows[0]?.user_days).toLocaleString('en')} user-days; ${slowest.question}, then ${next.join(', ')}`,
      });
      for (const { question, ms } of asked) say(`questions: ${question} over ${name}: ${Math.round(ms)} ms`);
    }
    return figures;
  });
}

async function addUp(url: string): Promise<void> {
  const pool = openPool(url, 1);
  try {
    await renewCreditSums(pool, 1, new AbortController().signal);
  } finally {
    await pool.end();
  }
}

/** How long a question takes. */
interface Asked {
  readonly question: string;
  readonly ms: number;
}

/** Asks every question over so many days about one organization. */
export function askOfOne(client: pg.Client, days: number, organization: string): Promise<Asked[]> {
  return askAll(client, days, (select) =>
    select.replaceAll(/\bbi\.(\w+)( as \w+)?/g, (view: string, name: string, alias?: string) =>
      name === 'calendar'
        ? view
        : `(select * from bi.${name} where org_id = '${organization}')${alias ?? ` as ${name}`}`,
    ),
  );
}

async function askAll(
  client: pg.Client,
  days: number,
  about: (select: string) => string = (select) => select,
): Promise<Asked[]> {
  const { rows } = await client.query<{ first: string; month: string; last: string; last_month: string }>(
    `select (yesterday - $1::integer + 1)::text as first, date_trunc('month', yesterday - $1::integer + 1)::date::text as month,
      yesterday::text as last, date_trunc('month', yesterday)::date::text as last_month
    from (select ((now() at time zone 'utc')::date - 1)::timestamp::date as yesterday) as of`,
    [days],
  );
  const [{ first, month, last, last_month } = { first: '', month: '', last: '', last_month: '' }] = rows;
  const asked: Asked[] = [];
  for (const { name, select } of await readQuestions()) {
    // The questions name days of the documents, which are replaced by days of this warehouse.
    const text = about(select)
      .replaceAll('2026-04-02', first)
      .replaceAll('2026-04-01', month)
      .replaceAll('2026-06-30', last)
      .replaceAll('2026-06-01', last_month);
    const times: number[] = [];
    for (let time = 0; time < repetitions; time += 1)
      times.push((await timed(() => askAsAnalyst(client, text))).ms);
    asked.push({ question: name, ms: median(times) });
  }
  return asked;
}
