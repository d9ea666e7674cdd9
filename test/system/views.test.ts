/** Every view over what was loaded of three organizations, beside what their payloads say it must show. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPool } from '../../src/warehouse/connection/connection.ts';
import { renewCreditSums } from '../../src/warehouse/sums/credit-sums.ts';
import { dailyViews } from '../support/expected-views/daily.ts';
import {
  dailyEndpoints,
  days,
  monthOf,
  type Organization,
  type World,
} from '../support/expected-views/figures.ts';
import { loadWorld, yesterday } from '../support/expected-views/loaded-world.ts';
import {
  heldRange,
  monthlyOverview,
  userCohorts,
  users,
  weeklyOverview,
} from '../support/expected-views/periods.ts';
import { costByMonth, creditsByTeam, teamOverview } from '../support/expected-views/teams.ts';
import type { Row } from '../support/expected-warehouse.ts';
import { type Installation, install } from '../support/installation.ts';
import { columnsOf, expectedRows, shownRows } from '../support/shown-rows.ts';

let installation: Installation;
let world: World;

beforeAll(async () => {
  installation = await install({ users: 0 });
  world = await loadWorld(installation);
}, 300_000);

afterAll(() => installation[Symbol.asyncDispose]());

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
