import { dashboard } from '../dashboard.ts';
import { figure, lines, stacked } from '../panels.ts';
import { newAndReturning } from '../queries.ts';

/** The figure of the last day of the range that has it, for each organization. */
const lastDay = (column: string) => `
select sum(${column}) as ${column}
from bi.daily_overview
where (org_id, usage_date) in (
  select org_id, max(usage_date)
  from bi.daily_overview
  where $__timeFilter(usage_date)
    and org_id in ($org)
    and ${column} is not null
  group by org_id
)`;

const inAll = (column: string) => `
select sum(${column}) as ${column}
from bi.daily_overview
where $__timeFilter(usage_date)
  and org_id in ($org)`;

const daily = (columns: readonly string[]) => `
select
  $__timeGroupAlias(usage_date, '1d'),
${columns.map((column) => `  sum(${column}) as ${column}`).join(',\n')}
from bi.daily_overview
where $__timeFilter(usage_date)
  and org_id in ($org)
group by 1
order by 1`;

export const overview = dashboard(
  'usage-etl-overview',
  'Usage: overview',
  'Usage by day. Days are UTC days; a gap is a day that is not loaded.',
  [
    figure({
      title: 'Credits',
      description: 'Standard Credits of all days of the range, as /tokens charges them.',
      sql: inAll('credits'),
    }),
    figure({
      title: 'Monthly active users',
      description:
        'Of the last day of the range, as the platform counts them over 30 days. Not additive over days.',
      sql: lastDay('monthly_active_users'),
    }),
    figure({ title: 'Sessions', description: 'Of all days of the range.', sql: inAll('sessions') }),
    figure({ title: 'Pull requests', description: 'Created in the range.', sql: inAll('git_prs_created') }),
    lines({
      title: 'Active users',
      description: 'Of the day, of 7 days and of 30 days that end with it, as the platform counts them.',
      sql: daily(['daily_active_users', 'weekly_active_users', 'monthly_active_users']),
    }),
    lines({
      title: 'Credits',
      description: 'Of the day.',
      sql: daily(['credits']),
    }),
    stacked({
      title: 'New and returning users',
      description:
        'Distinct users of each month that begins in the range. Additive over neither months nor days. Everyone is new in the first 28 days.',
      sql: newAndReturning('monthly_overview', 'month_start'),
    }),
    lines({
      title: 'Sessions and commits',
      description: 'Of the day.',
      sql: daily(['sessions', 'git_commits', 'git_prs_created']),
    }),
  ],
);
