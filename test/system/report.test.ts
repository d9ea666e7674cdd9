/** The page of `report`: its figures are those of the views, whatever is in them. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headsOf, rowsOf, textOf } from '../support/report-page.ts';
import {
  anybody,
  asked,
  installReported,
  markup,
  type Reported,
  range,
} from '../support/reported-warehouse.ts';

const before = `between '2026-01-24' and '2026-02-15'`;

let reported: Reported;
let installation: Reported['installation'];
let page: string;
let report: Reported['report'];

beforeAll(async () => {
  reported = await installReported();
  ({ installation, page, report } = reported);
}, 300_000);

afterAll(() => reported[Symbol.asyncDispose]());

describe('the page has the figures of the views, to the last digit:', () => {
  const top = (view: string, name: string, count: string) => `
    select ${name}, sum(${count}) as count,
      round(sum(${count}) / (select sum(${count}) from bi.${view} where usage_date ${range}), 6) as share
    from bi.${view} where usage_date ${range} group by 1 order by 2 desc, 1 limit 10`;
  const tables: readonly [table: string, keys: number, select: string][] = [
    [
      'models',
      2,
      `select model_id, model_tier, sum(credits) as credits,
        round(sum(credits) / (select sum(credits) from bi.credits_by_model where usage_date ${range}), 6) as share
      from bi.credits_by_model where usage_date ${range} group by 1, 2 order by 3 desc`,
    ],
    [
      'months',
      1,
      `select month_start, active_users, new_users, returning_users, stopped_users, credits, run_rate_credits,
        sessions, tool_calls, git_commits, git_prs_created
      from bi.monthly_overview where month_start between '2026-02-01' and '2026-03-01' order by 1`,
    ],
    [
      'comings',
      1,
      `select week_start, active_users, new_users, returning_users, stopped_users
      from bi.weekly_overview where week_start between '2026-02-16' and '2026-03-09' order by 1`,
    ],
    [
      'active_users',
      1,
      `select usage_date, daily_active_users, weekly_active_users, monthly_active_users, stickiness
      from bi.daily_overview where usage_date ${range} order by 1`,
    ],
    [
      'clients',
      1,
      `select client_type, max(daily_active_users) as users_on_the_busiest_day
      from bi.adoption_by_client where usage_date ${range} group by 1 order by 2 desc, 1`,
    ],
    [
      'autonomy',
      1,
      `select autonomy_level, round((sum(share * tool_calls) / sum(tool_calls))::numeric, 6) as share_of_tool_calls
      from bi.autonomy_levels join bi.daily_overview using (org_id, usage_date)
      where usage_date ${range} group by 1, autonomy_rank order by autonomy_rank desc`,
    ],
    [
      'teams',
      1,
      `select team, max(active_users) as busiest_day, sum(credits) as credits, sum(cost) as cost,
        sum(unpriced_credits) as unpriced_credits
      from bi.credits_by_team where usage_date ${range} group by 1 order by sum(credits) desc nulls last, 1`,
    ],
    ['top_tools', 1, top('tool_usage', 'tool_name', 'invocations')],
    ['top_languages', 1, top('productivity_by_language', 'language', 'file_operations')],
    [
      'repositories',
      1,
      `select repo_url, round(score::numeric, 6) as score, round(score_change::numeric, 6) as score_change
      from bi.readiness_by_repository order by score desc, 1`,
    ],
    [
      'criteria',
      1,
      `select criterion_id, passing, repositories, round(passing_share::numeric, 6) as passing_share
      from bi.readiness_by_criterion order by passing_share, 1`,
    ],
    [
      'endpoints',
      1,
      `select endpoint, 0 as days_missing, coalesce(rows_rejected, 0) as rows_rejected
      from bi.data_freshness order by 1`,
    ],
  ];
  /** Columns whose titles are for people; the answer names them in order. */
  test.each(tables)('%s', async (table, keys, select) => {
    const answer = await asked(installation, keys, select);
    expect(answer.length).toBeGreaterThan(0);
    // An address is hidden, in a name, too.
    const hidden = JSON.stringify(answer).replaceAll(anybody, '[redacted]');
    const named = (rows: readonly { key: unknown; figures: Readonly<Record<string, string | null>> }[]) =>
      rows.map(({ key, figures }) => ({ key, figures: Object.entries(figures).sort() }));
    expect(named(rowsOf(page, table))).toEqual(named(JSON.parse(hidden)));
  });

  test('sessions by weekday', async () => {
    const days = await asked(
      installation,
      2,
      `select week_start, day_of_week, sessions from bi.daily_overview
      join bi.calendar on date_day = usage_date where usage_date ${range} order by 1, 2`,
    );
    const shown = rowsOf(page, 'weekdays').flatMap(({ key, figures }) =>
      Object.entries(figures).flatMap(([weekday, sessions]) =>
        sessions === null ? [] : [{ key: [...key, weekday], figures: { sessions } }],
      ),
    );
    expect(shown).toEqual(days.filter(({ figures }) => figures.sessions !== null));
  });

  test('the head, and its change against as many days before', async () => {
    const totals = (days: string) => `
      select '' as nothing, sum(credits) as credits, sum(sessions) as sessions, sum(tool_calls) as tool_calls,
        sum(files_created + files_edited) as files_changed, sum(git_commits) as git_commits,
        sum(git_prs_created) as git_prs_created,
        (select sum(cost) from bi.credits_by_team where usage_date ${days}) as cost,
        (select count(distinct user_id) from bi.user_activity where is_active and usage_date ${days}) as active_users
      from bi.daily_overview where usage_date ${days}`;
    const [[now], [then]] = [
      await asked(installation, 1, totals(range)),
      await asked(installation, 1, totals(before)),
    ];
    const heads = headsOf(page);
    expect(Object.fromEntries(Object.entries(heads).map(([name, head]) => [name, head.exact]))).toEqual(
      now?.figures,
    );
    for (const [name, { change }] of Object.entries(heads)) {
      const [value, base] = [Number(now?.figures[name]), Number(then?.figures[name])];
      const percent = Math.abs((100 * (value - base)) / base);
      const number = percent.toFixed(percent < 10 ? 1 : 0);
      const words = value > base ? 'more than before' : 'less than before';
      expect(change, name).toBe(
        base === 0
          ? ''
          : value === base
            ? '= as much as before'
            : `${value > base ? '▲' : '▼'} ${number} % ${words}`,
      );
    }
  });
});

test('no change is shown against days that are not held whole', async () => {
  const early = await report('--from 2026-01-20 --to 2026-02-10');
  expect(Object.values(headsOf(early)).map(({ change }) => change)).toEqual(Array(8).fill(''));
  expect(textOf(early)).toContain('No changes are shown: 16 of the 22 days before have missing data.');
});

test('models whose names differ only in what is hidden are one, in every table', async () => {
  const single = await report('--from 2026-01-20 --to 2026-01-20');
  expect(rowsOf(single, 'models')).toEqual([
    { key: [markup, '…'], figures: { credits: '2469.1356', share: '1' } },
  ]);
  expect(Object.values(rowsOf(single, 'credits_by_period')[0]?.figures ?? {})).toEqual(['2469.1356']);
});

test('days that are missing are told, and make no figure 0', async () => {
  const late = await report('--from 2026-03-06 --to 2026-03-14');
  expect(textOf(late)).toContain('4 of 9 days of this page have missing data');
  const days = rowsOf(late, 'active_users');
  expect(days).toHaveLength(9);
  expect(days.at(-1)?.figures).toEqual({
    daily_active_users: null,
    weekly_active_users: null,
    monthly_active_users: null,
    stickiness: null,
  });
});
