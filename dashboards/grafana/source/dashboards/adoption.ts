import { dashboard } from '../dashboard.ts';
import { lines, ranking, stacked, table } from '../panels.ts';
import { byDay, newAndReturning } from '../queries.ts';

const top = (view: string, name: string, figure: string, condition = '') => `
select
  ${name},
  sum(${figure}) as ${figure}
from bi.${view}
where $__timeFilter(usage_date)
  and org_id in ($org)${condition}
group by ${name}
order by ${figure} desc, ${name}
limit 15`;

export const adoption = dashboard(
  'usage-etl-adoption',
  'Usage: adoption',
  'New, returning and active users, and what they use. No personal data.',
  [
    stacked({
      title: 'Active users by week',
      description:
        'Distinct users of each ISO week that begins in the range: additive over neither weeks nor days.',
      sql: newAndReturning('weekly_overview', 'week_start'),
    }),
    lines({
      title: 'Stickiness',
      description: 'Daily active users / monthly active users.',
      unit: 'percentunit',
      sql: `
select
  $__timeGroupAlias(usage_date, '1d'),
  sum(daily_active_users)::double precision / nullif(sum(monthly_active_users), 0) as stickiness
from bi.daily_overview
where $__timeFilter(usage_date)
  and org_id in ($org)
group by 1
order by 1`,
    }),
    lines({
      title: 'Active users by client',
      description: 'Of the day. A user of several clients counts in each.',
      sql: byDay('adoption_by_client', 'client_type', 'daily_active_users'),
    }),
    stacked({
      title: 'Autonomy',
      description:
        'Share of the tool calls of the day by how much is left to the agent. It says nothing of users.',
      unit: 'percentunit',
      sql: `
select
  $__timeGroupAlias(usage_date, '1d'),
  level.autonomy_level as metric,
  sum(level.share * day.tool_calls) / nullif(sum(day.tool_calls), 0) as share
from bi.autonomy_levels as level
join bi.daily_overview as day using (org_id, usage_date)
where $__timeFilter(usage_date)
  and org_id in ($org)
group by 1, 2
order by 1, 2`,
    }),
    table({
      title: 'Retention',
      description:
        'Of the users who began in a month, the share that was active so many months later. Whole months only.',
      unit: 'percentunit',
      sql: `
select
  to_char(cohort_month, 'YYYY-MM') as began,
${[0, 1, 2, 3, 4, 5, 6]
  .map(
    (months) => `  sum(active_users) filter (where months_since = ${months})::double precision
    / nullif(sum(users) filter (where months_since = ${months}), 0) as month_${months}`,
  )
  .join(',\n')}
from bi.user_cohorts
where org_id in ($org)
group by cohort_month
order by cohort_month`,
    }),
    table({
      title: 'Users by status',
      description:
        'As of the last day held, whatever the range: new (began within 28 days), active, dormant (none in 28 days), gone (none in 90), never.',
      sql: `
select
  status,
  count(*) as users
from bi.users
where org_id in ($org)
group by status
order by users desc, status`,
    }),
    ranking({
      title: 'Tools',
      description: 'Calls in the range. Malformed names are left out.',
      sql: top('tool_usage', 'tool_name', 'invocations', '\n  and not is_parsing_artifact'),
    }),
    ranking({
      title: 'MCP servers',
      description: 'Calls in the range.',
      sql: top('mcp_server_usage', 'server_name', 'invocations'),
    }),
    ranking({
      title: 'Languages',
      description: 'File operations in the range.',
      sql: top('productivity_by_language', 'language', 'file_operations'),
    }),
  ],
);
