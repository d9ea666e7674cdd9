/** Datasets that are selects, for charts that need more than a view. */
import type { Metric } from './catalog.ts';

/** A dataset that is a select. */
export interface Select {
  readonly name: string;
  readonly description: string;
  /** The schema that its role must be able to read. */
  readonly schema: 'bi' | 'bi_people';
  readonly sql: string;
  readonly metrics: readonly Metric[];
}

const sum = (name: string, label: string, description: string): Metric => ({
  name,
  label,
  expression: `sum(${name})`,
  description,
  format: ',.0f',
});

/** The days of the last month that has credits, and the same days of the month before. */
const monthToDate = `from (
  select
    org_key,
    max(usage_date) as last_day,
    date_trunc('month', max(usage_date)::timestamp)::date as month_start
  from bi.daily_overview
  where credits is not null
  group by org_key
) as reached
join bi.daily_overview as d
  on d.org_key = reached.org_key
  and d.usage_date between (reached.month_start - interval '1 month')::date and reached.last_day
  and extract(day from d.usage_date) <= extract(day from reached.last_day)`;

export const selects: readonly Select[] = [
  {
    name: 'month_to_date',
    description:
      'One row per organization and figure: the month of the last day that has credits, up to that day, and the same days of the month before.',
    schema: 'bi',
    sql: `select
  period.org_key,
  period.org_id,
  period.last_day,
  figure.place,
  figure.figure,
  figure.this_month,
  figure.month_before
from (
  select
    d.org_key,
    d.org_id,
    reached.last_day,
    sum(d.credits) filter (where d.usage_date >= reached.month_start) as credits,
    sum(d.credits) filter (where d.usage_date < reached.month_start) as credits_before,
    max(d.daily_active_users) filter (where d.usage_date >= reached.month_start) as active_users,
    max(d.daily_active_users) filter (where d.usage_date < reached.month_start) as active_users_before,
    sum(d.sessions) filter (where d.usage_date >= reached.month_start) as sessions,
    sum(d.sessions) filter (where d.usage_date < reached.month_start) as sessions_before,
    sum(d.tool_calls) filter (where d.usage_date >= reached.month_start) as tool_calls,
    sum(d.tool_calls) filter (where d.usage_date < reached.month_start) as tool_calls_before,
    sum(d.git_commits) filter (where d.usage_date >= reached.month_start) as git_commits,
    sum(d.git_commits) filter (where d.usage_date < reached.month_start) as git_commits_before,
    sum(d.git_prs_created) filter (where d.usage_date >= reached.month_start) as git_prs_created,
    sum(d.git_prs_created) filter (where d.usage_date < reached.month_start) as git_prs_created_before
  ${monthToDate.replaceAll('\n', '\n  ')}
  group by
    d.org_key,
    d.org_id,
    reached.last_day
) as period
cross join lateral (
  values
    (1, 'Credits', period.credits, period.credits_before),
    (2, 'Active users on the busiest day', period.active_users, period.active_users_before),
    (3, 'Sessions', period.sessions, period.sessions_before),
    (4, 'Tool calls', period.tool_calls, period.tool_calls_before),
    (5, 'Git commits', period.git_commits, period.git_commits_before),
    (6, 'Pull requests created', period.git_prs_created, period.git_prs_created_before)
) as figure (place, figure, this_month, month_before)`,
    metrics: [
      { name: 'order', label: 'Order', expression: 'min(place)', description: 'To sort by.' },
      sum('this_month', 'This month', 'From the first day of the month to the last day that has credits.'),
      sum('month_before', 'Same days of the month before', 'As many days of the month before.'),
      {
        name: 'change',
        label: 'Change',
        expression: '(sum(this_month)::double precision / nullif(sum(month_before), 0) - 1)',
        description: 'This month / the same days of the month before - 1.',
        format: '+.1%',
      },
    ],
  },
  {
    name: 'month_to_date_by_day',
    description:
      'One row per organization, period and day of the month: credits from the first day of the month on, for this month and the same days of the month before.',
    schema: 'bi',
    sql: `select
  d.org_key,
  d.org_id,
  d.usage_date as of_day,
  to_char(d.usage_date, 'DD') as day_of_month,
  case when d.usage_date >= reached.month_start then 'this month' else 'month before' end as period,
  d.credits,
  sum(d.credits) over (
    partition by d.org_key, d.usage_date >= reached.month_start
    order by d.usage_date
  ) as credits_so_far
${monthToDate}`,
    metrics: [
      {
        name: 'credits_so_far',
        label: 'Credits so far',
        expression: 'max(credits_so_far)',
        description: 'Credits from the first day of the month to the day.',
        warning: 'A running sum, of one organization: not additive.',
        format: ',.0f',
      },
    ],
  },
  {
    name: 'people',
    description:
      'One row per user of an organization: what bi.users says, with e-mail, department and cost center. Personal data.',
    schema: 'bi_people',
    sql: `select
  u.org_key,
  u.org_id,
  u.user_id,
  p.user_email,
  coalesce(p.user_email, u.user_id) as person,
  u.team,
  p.department,
  p.cost_center,
  u.status,
  u.as_of_day,
  u.first_active_day,
  u.last_active_day,
  u.active_days_7,
  u.active_days_28,
  u.active_days_90,
  u.credits_28d,
  u.sessions_28d,
  u.git_commits_28d,
  u.git_prs_created_28d,
  u.favourite_model,
  u.preferred_autonomy
from bi.users as u
join bi_people.users as p
  on p.org_key = u.org_key
  and p.user_id = u.user_id`,
    metrics: [],
  },
];
