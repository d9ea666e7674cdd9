/** The five questions, as Superset is asked through its API: by the metrics and columns of its datasets. */
import { z } from 'zod';
import { firstDay, type fiveQuestions, lastDay } from './five-questions.ts';
import { admin } from './superset-site.ts';

/** What to ask of which dataset: its columns and metrics, by the names of the question's columns. */
interface Asked {
  readonly dataset: string;
  readonly day: string;
  readonly from: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly metrics: Readonly<Record<string, string>>;
}

const months = {
  dataset: 'monthly_overview',
  day: 'month_start',
  from: '2026-04-01',
  columns: { month_start: 'month_start' },
};
const days = { day: 'usage_date', from: firstDay };

const asked: Readonly<Record<keyof typeof fiveQuestions, Asked>> = {
  activeUsers: {
    ...months,
    metrics: {
      active_users: 'active_users_highest',
      new_users: 'new_users',
      stopped_users: 'stopped_users_highest',
    },
  },
  creditsByMonth: { ...months, metrics: { credits: 'credits' } },
  creditsByModel: {
    ...days,
    dataset: 'credits_by_model',
    columns: { model_id: 'model_id', model_tier: 'model_tier' },
    metrics: { credits: 'credits' },
  },
  costByTeam: {
    ...days,
    dataset: 'credits_by_team',
    columns: { team: 'team' },
    metrics: { credits: 'credits', cost: 'cost' },
  },
  clients: {
    ...days,
    dataset: 'adoption_by_client',
    columns: { client_type: 'client_type' },
    metrics: { users_on_the_busiest_day: 'daily_active_users_busiest_day' },
  },
};

const signedIn = z.object({ access_token: z.string() });
const datasets = z.object({ result: z.array(z.object({ id: z.number(), table_name: z.string() })) });
const answered = z.object({
  result: z.array(z.object({ data: z.array(z.record(z.string(), z.unknown())) })),
});

/** What Superset answers to one of the five questions. Rejects when it does not. */
export async function answerBySuperset(
  address: string,
  question: keyof typeof fiveQuestions,
): Promise<Record<string, unknown>[]> {
  const { dataset, day, from, columns, metrics } = asked[question];
  const { access_token } = signedIn.parse(
    await call(`${address}/api/v1/security/login`, {}, { ...admin, provider: 'db' }),
  );
  const headers = { authorization: `Bearer ${access_token}` };
  const known = datasets.parse(await call(`${address}/api/v1/dataset/?q=(page_size:100)`, headers));
  const id = known.result.find(({ table_name }) => table_name === dataset)?.id;
  const query = {
    columns: Object.values(columns),
    metrics: Object.values(metrics),
    filters: [
      { col: day, op: '>=', val: from },
      { col: day, op: '<=', val: lastDay },
    ],
    row_limit: 1_000,
  };
  const { result } = answered.parse(
    await call(`${address}/api/v1/chart/data`, headers, {
      datasource: { id, type: 'table' },
      queries: [query],
      result_format: 'json',
      result_type: 'full',
    }),
  );
  const names = Object.entries({ ...columns, ...metrics });
  return (result[0]?.data ?? []).map((row) =>
    Object.fromEntries(names.map(([name, of]) => [name, name === day ? dayOf(row[of]) : row[of]])),
  );
}

/** Superset tells a date in milliseconds. */
function dayOf(value: unknown): unknown {
  return typeof value === 'number' ? new Date(value).toISOString().slice(0, 10) : value;
}

async function call(url: string, headers: Readonly<Record<string, string>>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`expected Superset to answer ${url}, got ${response.status}: ${text}`);
  return JSON.parse(text);
}
