/** What the views by week and month, and of users over time, must show. */
import type { Row } from '../expected-warehouse.ts';
import { dailyOverview } from './daily.ts';
import {
  activeDays,
  approximate,
  dailyEndpoints,
  days,
  groups,
  heldDays,
  isActive,
  label,
  monthOf,
  type Organization,
  shift,
  sum,
  table,
  type Value,
  type World,
  weekOf,
} from './figures.ts';
import { teamOn } from './teams.ts';

interface Period {
  readonly start: string;
  readonly days: readonly string[];
  readonly before: readonly string[];
}

function periodsOf(organization: Organization, world: World, startOf: (day: string) => string): Period[] {
  const [first] = heldDays(organization);
  if (first === undefined) return [];
  const starts = [...new Set(days(first, world.yesterday).map(startOf))];
  const daysIn = (start: string) => days(start, shift(start, 30)).filter((day) => startOf(day) === start);
  return starts.map((start) => ({ start, days: daysIn(start), before: daysIn(startOf(shift(start, -1))) }));
}

function overview(
  organization: Organization,
  world: World,
  startOf: (day: string) => string,
): { period: Period; row: Row; tokensDays: number }[] {
  const active = activeDays(organization);
  const overviewByPeriod = groups(dailyOverview(organization, world), (row) => startOf(row.usage_date ?? ''));
  const holds = (endpoint: string, day: string) => organization.held.get(endpoint)?.has(day) ?? false;
  return periodsOf(organization, world, startOf).map((period) => {
    const { start, before } = period;
    const activeIn = (start: string) =>
      [...active].filter(([, activeOn]) => activeOn.some((day) => startOf(day) === start));
    const now = activeIn(start);
    const users = now.map(([user]) => user);
    const isNew = now.filter(([, [first = '']]) => startOf(first) === start).length;
    const stopped = activeIn(before[0] ?? '').filter(([user]) => !users.includes(user)).length;
    const held = period.days.filter((day) => holds('users', day)).length;
    const knowsStopped = held === period.days.length && before.some((day) => holds('users', day));
    const rows = overviewByPeriod.get(start) ?? [];
    const sums = ['credits', 'sessions', 'tool_calls', 'git_commits', 'git_prs_created'];
    const ifHeld = (count: number): Value => (held === 0 ? null : String(count));
    return {
      period,
      tokensDays: period.days.filter((day) => holds('tokens', day)).length,
      row: {
        org_id: organization.org_id,
        active_users: ifHeld(now.length),
        new_users: ifHeld(isNew),
        returning_users: ifHeld(now.length - isNew),
        stopped_users: knowsStopped ? String(stopped) : null,
        ...Object.fromEntries(sums.map((name) => [name, sum(rows.map((row) => row[name]))])),
        is_complete: String(dailyEndpoints.every((each) => period.days.every((day) => holds(each, day)))),
      },
    };
  });
}

export function weeklyOverview(organization: Organization, world: World): Row[] {
  return overview(organization, world, weekOf).map(({ period: { start }, row }) => {
    // ISO 8601: a week belongs to the year of its Thursday.
    const thursday = shift(start, 3);
    const week = 1 + Math.floor((days(`${thursday.slice(0, 4)}-01-01`, thursday).length - 1) / 7);
    return { ...row, week_start: start, iso_year: thursday.slice(0, 4), iso_week: String(week) };
  });
}

export function monthlyOverview(organization: Organization, world: World): Row[] {
  return overview(organization, world, monthOf).map(({ period, row, tokensDays }) => ({
    ...row,
    month_start: period.start,
    run_rate_credits:
      (period.days.at(-1) ?? '') > world.yesterday && tokensDays > 0 && row.credits != null
        ? approximate((Number(row.credits) / tokensDays) * period.days.length)
        : null,
  }));
}

export function userCohorts(organization: Organization, world: World): Row[] {
  const active = [...activeDays(organization).values()];
  const months = monthlyOverview(organization, world)
    .filter(({ is_complete }) => is_complete === 'true')
    .map(({ month_start }) => month_start ?? '');
  const monthNumber = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7));
  return months.flatMap((cohort) => {
    const began = active.filter(([first = '']) => monthOf(first) === cohort);
    if (began.length === 0) return [];
    return months
      .filter((month) => month >= cohort)
      .map((month) => {
        const stayed = began.filter((activeOn) => activeOn.some((day) => monthOf(day) === month)).length;
        return {
          org_id: organization.org_id,
          cohort_month: cohort,
          months_since: String(monthNumber(month) - monthNumber(cohort)),
          users: String(began.length),
          active_users: String(stayed),
          retention: approximate(stayed / began.length),
        };
      });
  });
}

export function users(organization: Organization, world: World): Row[] {
  const { org_id, held } = organization;
  const asOf = [...(held.get('users') ?? [])].sort().at(-1) ?? null;
  const active = activeDays(organization);
  const rows = groups(table(organization, 'fact_user_daily'), (row) => row.user_id ?? '');
  const charged = groups(table(organization, 'fact_token_user_daily'), (row) => row.user_id ?? '');
  const isWithin = (count: number) => (day: string) =>
    asOf !== null && day <= asOf && day > shift(asOf, -count);
  return Object.keys(organization.emails).map((user_id) => {
    const activeOn = active.get(user_id) ?? [];
    const last = (count: number) => activeOn.filter(isWithin(count)).length;
    const recent = (rows.get(user_id) ?? []).filter((row) => isWithin(28)(row.usage_date ?? ''));
    const credits = (charged.get(user_id) ?? []).filter((row) => isWithin(28)(row.usage_date ?? ''));
    const activeRows = (rows.get(user_id) ?? []).filter(
      (row) => isActive(row) && isWithin(90)(row.usage_date ?? ''),
    );
    const [first = null] = activeOn;
    const status =
      first === null
        ? 'never'
        : last(90) === 0
          ? 'gone'
          : last(28) === 0
            ? 'dormant'
            : isWithin(28)(first)
              ? 'new'
              : 'active';
    return {
      org_id,
      user_id,
      user_label: label(organization, user_id),
      team: teamOn(organization, user_id, shift(world.yesterday, 1))?.team ?? 'unassigned',
      as_of_day: asOf,
      first_active_day: first,
      last_active_day: activeOn.at(-1) ?? null,
      active_days_7: String(last(7)),
      active_days_28: String(last(28)),
      active_days_90: String(last(90)),
      status,
      credits_28d: sum(credits.map((row) => row.billable_tokens)) ?? '0',
      sessions_28d: sum(recent.map((row) => row.sessions)),
      git_commits_28d: sum(recent.map((row) => row.git_commits)),
      git_prs_created_28d: sum(recent.map((row) => row.git_prs_created)),
      favourite_model: mostOften(activeRows, 'primary_model_id'),
      preferred_autonomy: mostOften(activeRows, 'delegation_level_code'),
    };
  });
}

/** The value that most rows have; of several such values the one with the latest day. */
function mostOften(rows: readonly Row[], column: string): Value {
  const ranked = [
    ...groups(
      rows.filter((row) => row[column] != null),
      (row) => row[column] ?? '',
    ),
  ].map(([value, its]) => ({
    value,
    count: its.length,
    last:
      its
        .map((row) => row.usage_date ?? '')
        .sort()
        .at(-1) ?? '',
  }));
  ranked.sort((a, b) => b.count - a.count || (a.last < b.last ? 1 : -1));
  return ranked[0]?.value ?? null;
}

/** The first and last held day of a daily endpoint, and how far it is behind `yesterday`; also if it was never asked. */
export function heldRange(organization: Organization, endpoint: string, { yesterday }: World): Row {
  const held = [...(organization.held.get(endpoint) ?? [])].sort();
  const last = held.at(-1);
  return {
    org_id: organization.org_id,
    endpoint,
    first_day: held[0] ?? null,
    last_day: last ?? null,
    days_behind: last === undefined ? null : String(days(last, yesterday).length - 1),
  };
}
