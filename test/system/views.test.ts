/** Every view over what was loaded of three organizations, beside what their payloads say it must show. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { generatedDataset, OverridableDataset } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { openPool } from '../../src/warehouse/connection/connection.ts';
import { renewCreditSums } from '../../src/warehouse/sums/credit-sums.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { dailyViews } from '../support/expected-views/daily.ts';
import {
  type Assignment,
  dailyEndpoints,
  days,
  monthOf,
  type Organization,
  type Price,
  shift,
  type World,
} from '../support/expected-views/figures.ts';
import {
  heldRange,
  monthlyOverview,
  userCohorts,
  users,
  weeklyOverview,
} from '../support/expected-views/periods.ts';
import { costByMonth, creditsByTeam, teamOverview } from '../support/expected-views/teams.ts';
import { expectedEmails, expectedWarehouse, type Row } from '../support/expected-warehouse.ts';
import { type Installation, install, servedRows } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { columnsOf, expectedRows, shownRows } from '../support/shown-rows.ts';

const yesterday = shift(new Date().toISOString().slice(0, 10), -1);
const ago = (count: number) => shift(yesterday, -count);
const everyEndpoint = dailyEndpoints.join(',');

interface Loading {
  readonly id: string;
  readonly seed: number;
  /** Ranges as they are loaded, one after the other. */
  readonly ranges: readonly { readonly from: string; readonly to: string; readonly endpoints: string }[];
}

/** One that is up to date, with gaps; one that ended long ago; one of which little is known. */
const loadings: readonly Loading[] = [
  {
    id: 'org_current',
    seed: 7,
    ranges: [
      { from: ago(130), to: ago(60), endpoints: everyEndpoint },
      { from: ago(56), to: ago(9), endpoints: everyEndpoint },
      { from: ago(8), to: yesterday, endpoints: 'tokens,tools,activity,productivity' },
      { from: ago(5), to: yesterday, endpoints: 'users' },
    ],
  },
  {
    id: 'org_former',
    seed: 8,
    ranges: [
      { from: '2026-01-14', to: '2026-04-07', endpoints: everyEndpoint },
      { from: '2026-04-08', to: '2026-04-12', endpoints: 'tokens' },
    ],
  },
  { id: 'org_partial', seed: 9, ranges: [{ from: ago(20), to: ago(3), endpoints: 'tokens,activity' }] },
];

let installation: Installation;
const simulators: Simulator[] = [];
let world: World;

beforeAll(async () => {
  installation = await install({ users: 0 });
  const organizations: Organization[] = [];
  for (const loading of loadings) organizations.push(await load(loading));
  const prices = await addPrices();
  world = { organizations, prices, yesterday };
}, 300_000);

afterAll(async () => {
  for (const simulator of simulators) await simulator.close();
  await installation[Symbol.asyncDispose]();
});

async function load({ id, seed, ranges }: Loading): Promise<Organization> {
  const generator = createGenerator({ seed, users: 14, from: day('2026-01-14') });
  const dataset = new OverridableDataset(generatedDataset(generator));
  const simulator = await startSimulator({ dataset, organizationId: id, apiKeys: { key: 'owner' } });
  simulators.push(simulator);
  const run = async (commandLine: string) => {
    const { code, stderr } = await installation.run(commandLine, {
      API_BASE_URL: simulator.url,
      API_KEY: 'key',
    });
    expect(code, stderr).toBe(0);
  };
  const held = new Map<string, Set<string>>();
  addOddities(dataset, ranges[0]?.from ?? '');
  for (const { from, to, endpoints } of ranges) {
    await run(`backfill --from ${from} --to ${to} --endpoints ${endpoints}`);
    for (const endpoint of endpoints.split(','))
      held.set(endpoint, new Set([...(held.get(endpoint) ?? []), ...days(from, to)]));
  }
  const restated = shift(ranges[0]?.from ?? '', 3);
  restate(dataset, restated);
  await run(`backfill --from ${restated} --to ${restated} --endpoints ${ranges[0]?.endpoints} --force`);
  const payloads = [...held].flatMap(([endpoint, its]) =>
    [...its].map((each) => ({ endpoint, day: each, rows: servedRows(dataset, endpoint, day(each)) })),
  );
  const emails = expectedEmails(payloads);
  const star = expectedWarehouse(id, payloads);
  return { org_id: id, star, held, emails, assignments: await addTeams(id, emails) };
}

/** Days unlike others: nobody there, idle users, users without an e-mail, credits that no user accounts for. */
function addOddities(dataset: OverridableDataset, first: string): void {
  const nobody = shift(first, 10);
  dataset.overrideRows('users', day(nobody), []);
  changeRows(dataset, 'activity', nobody, (row) => ({
    ...row,
    daily_active_users: 0,
    sessions: 0,
    messages: 0,
  }));
  for (const idle of days(shift(first, 15), shift(first, 40)))
    changeRows(dataset, 'users', idle, (row, index) => (index === 0 ? idleRow(row) : row));
  changeRows(dataset, 'users', shift(first, 12), (row) => ({ ...row, primary_model: null, sessions: null }));
  for (const each of days(first, shift(first, 130)))
    for (const endpoint of ['tokens', 'users'])
      changeRows(dataset, endpoint, each, (row) => withoutSomeEmails(row));
  changeRows(dataset, 'tokens', shift(first, 5), (row) => ({
    ...row,
    by_user: itemsOf(row.by_user).slice(1),
    cache_read_tokens: null,
  }));
  changeRows(dataset, 'tools', shift(first, 6), (row) => ({ ...row, tool_calls: 0, web_users: null }));
}

function idleRow(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? 0 : value]),
  );
}

/** Users whose id ends with an even digit have none; some others one letter. */
function withoutSomeEmails(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const changed = (user: Readonly<Record<string, unknown>>) => {
    const last = String(user.user_id).at(-1) ?? '';
    if (!('user_email' in user)) return user;
    if ('02468ace'.includes(last)) return { ...user, user_email: null };
    return '13'.includes(last) ? { ...user, user_email: 'x@one.example.com' } : user;
  };
  if (!('by_user' in row)) return changed(row);
  return { ...row, by_user: itemsOf(row.by_user).map((user) => changed(fieldsOf(user))) };
}

function restate(dataset: OverridableDataset, of: string): void {
  changeRows(dataset, 'users', of, (row, index) =>
    index === 0 ? undefined : { ...row, sessions: 77, git_commits: 0 },
  );
  changeRows(dataset, 'tokens', of, (row) => ({ ...row, billable_tokens: 123456.789, input_tokens: 0 }));
}

async function addTeams(orgId: string, emails: Organization['emails']): Promise<Assignment[]> {
  const [one = '', two = '', three = ''] = Object.keys(emails).sort();
  const mailed =
    Object.values(emails).find((email) => email !== null && !email.startsWith('x@')) ?? 'none@example.com';
  const assignment = (
    user: Partial<Assignment>,
    team: string,
    from: string,
    to: string | null,
  ): Assignment => ({
    user_id: null,
    user_email: null,
    department: team === 'Blue' ? null : `${team} department`,
    cost_center: 'C1',
    ...user,
    team,
    valid_from: from,
    valid_to: to,
  });
  const all = [
    assignment({ user_id: one }, 'Blue', '2026-01-01', ago(90)),
    assignment({ user_id: one }, 'Red', ago(80), null),
    assignment({ user_id: two }, 'Red', '2026-02-10', '2026-03-02'),
    assignment({ user_id: two, department: 'Another' }, 'Red', '2026-03-03', null),
    assignment({ user_id: three }, 'Blue', shift(yesterday, 5), null),
    assignment({ user_email: mailed.toUpperCase() }, 'Green', '2026-01-20', null),
    assignment({ user_id: 'nobody knows them' }, 'Blue', '2026-01-01', null),
  ];
  for (const each of all)
    await installation.database.pool.query(
      `insert into warehouse.person_assignment
      select org_key, $2, $3, $4, $5, $6, $7, $8 from warehouse.dim_org where org_id = $1`,
      [
        orgId,
        each.user_id,
        each.user_email,
        each.team,
        each.department,
        each.cost_center,
        each.valid_from,
        each.valid_to,
      ],
    );
  return all;
}

async function addPrices(): Promise<Price[]> {
  const { pool } = installation.database;
  const { rows } = await pool.query<{ model_id: string; model_tier: string }>(
    'select distinct on (model_id) model_id, model_tier from warehouse.dim_model order by model_id, model_tier',
  );
  const [one, two] = rows;
  if (one === undefined || two === undefined) throw new RangeError('expected two models');
  const price = (model_id: string, model_tier: string, per_million: number, valid_from: string): Price => ({
    model_id,
    model_tier,
    price_per_million_credits: per_million,
    currency: 'EUR',
    valid_from,
  });
  const prices = [
    price(one.model_id, one.model_tier, 2.5, '2026-01-20'),
    price(one.model_id, '*', 10, ago(100)),
    price(two.model_id, '*', 4, '2026-01-01'),
    price(two.model_id, '*', 0, ago(40)),
  ];
  for (const each of prices)
    await pool.query('insert into warehouse.credit_price values ($1, $2, $3, $4, $5)', Object.values(each));
  return prices;
}

const views: Readonly<Record<string, (organization: Organization, world: World) => readonly Row[]>> = {
  ...dailyViews,
  weekly_overview: weeklyOverview,
  monthly_overview: monthlyOverview,
  users,
  user_cohorts: userCohorts,
  credits_by_team: creditsByTeam,
  team_overview: teamOverview,
  cost_by_month: costByMonth,
  data_gaps: gaps,
};

/** Asked for is everything from the first day of any backfill of the endpoint on. */
function gaps({ org_id, held }: Organization): Row[] {
  return [...held].flatMap(([endpoint, its]) =>
    days([...its].sort()[0] ?? '', yesterday)
      .filter((each) => !its.has(each))
      .map((each) => ({ org_id, endpoint, usage_date: each, reason: 'not_read', error: null })),
  );
}

/** Held days of `/users` on which nobody was reported. */
function emptyDays({ held, star }: Organization): number {
  const reported = new Set(star.fact_user_daily?.map((row) => row.usage_date));
  return [...(held.get('users') ?? [])].filter((each) => !reported.has(each)).length;
}

async function expectWhatPayloadsSay(name: string): Promise<void> {
  const { pool } = installation.database;
  const rows = world.organizations.flatMap((organization) => views[name]?.(organization, world) ?? []);
  expect(rows.length).toBeGreaterThan(0);
  const columns = await columnsOf(pool, `bi.${name}`);
  expect(await shownRows(pool, `bi.${name}`)).toEqual(expectedRows(rows, columns));
}

describe('what was loaded, seen through', () => {
  test.each(Object.keys(views))('bi.%s, equals what the payloads say', expectWhatPayloadsSay);

  describe('once credits are summed by team', () => {
    beforeAll(async () => {
      const pool = openPool(installation.database.url, 1);
      const { rows } = await pool.query<{ org_key: number }>('select org_key from warehouse.dim_org');
      for (const { org_key } of rows) await renewCreditSums(pool, org_key, new AbortController().signal, 0);
      const { rows: days } = await pool.query('select from etl.summable_day where is_summed');
      expect(days.length).toBeGreaterThan(200);
      await pool.end();
    });

    test.each(['credits_by_team', 'team_overview', 'cost_by_month'])(
      'bi.%s, equals what the payloads say',
      expectWhatPayloadsSay,
    );
  });

  test('bi.data_freshness, has a row for each endpoint of each organization', async () => {
    const { rows } = await installation.database.pool.query(
      `select org_id, endpoint, first_day::text, last_day::text, days_behind::text,
        (days_loaded + days_empty)::text as days_held, days_empty::text, days_missing::text, rows_rejected::text,
        last_fetched_at is not null as is_fetched
      from bi.data_freshness order by org_id, endpoint`,
    );
    const expected = world.organizations.flatMap((organization) =>
      dailyEndpoints.map((endpoint) => {
        const held = organization.held.get(endpoint);
        const missing = gaps(organization).filter((gap) => gap.endpoint === endpoint).length;
        return {
          ...heldRange(organization, endpoint, world),
          days_held: String(held?.size ?? 0),
          days_empty: String(endpoint === 'users' ? emptyDays(organization) : 0),
          days_missing: String(missing),
          rows_rejected: held === undefined ? null : '0',
          is_fetched: held !== undefined,
        };
      }),
    );
    const order = (row: Readonly<Record<string, unknown>>) => `${row.org_id} ${row.endpoint}`;
    expect(rows).toEqual(expected.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)));
  });

  test('bi.calendar, is every day from 2026 to the end of next year', async () => {
    const last = `${Number(new Date().toISOString().slice(0, 4)) + 1}-12-31`;
    const { rows } = await installation.database.pool.query(
      'select date_day::text, month_start::text from bi.calendar order by 1',
    );
    expect(rows).toEqual(
      days('2026-01-01', last).map((each) => ({ date_day: each, month_start: monthOf(each) })),
    );
  });

  test('the sums over teams are those over models', async () => {
    const { rows } = await installation.database.pool.query(`
      select org_id, usage_date, sum(credits) as credits from bi.credits_by_model group by 1, 2
      except
      select org_id, usage_date, sum(credits) from bi.credits_by_team group by 1, 2`);
    expect(rows).toEqual([]);
  });

  test('bi_people.users, names every user with the team of today', async () => {
    const { rows } = await installation.database.pool.query(
      'select org_id, user_id, user_email, team from bi_people.users order by 1, 2',
    );
    const expected = world.organizations.flatMap((organization) =>
      users(organization, world).map(({ org_id, user_id, team }) => ({
        org_id,
        user_id,
        user_email: organization.emails[user_id ?? ''] ?? null,
        team,
      })),
    );
    const order = (row: Readonly<Record<string, unknown>>) => `${row.org_id} ${row.user_id}`;
    expect(rows).toEqual(expected.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)));
  });

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])('is the same in a session of %s', async (zone) => {
    const client = await installation.database.pool.connect();
    try {
      const look = async () =>
        (
          await client.query(
            `select (select max(usage_date)::text from bi.daily_overview), (select count(*) from bi.data_gaps),
              (select max(week_start)::text from bi.weekly_overview), (select sum(days_behind) from bi.data_freshness),
              (select string_agg(month_start::text || active_users, ' ' order by org_id, month_start) from bi.monthly_overview)`,
          )
        ).rows;
      const utc = await look();
      await client.query(`set time zone '${zone}'`);
      expect(await look()).toEqual(utc);
    } finally {
      client.release(true);
    }
  });
});
