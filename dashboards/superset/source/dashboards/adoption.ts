import { type Dashboard, row } from '../dashboard.ts';
import { heatmap } from '../figures.ts';
import { areas, bars, counts, lines, ranking } from '../series.ts';
import { last13Months, last13Weeks } from './periods.ts';

export const adoption: Dashboard = {
  slug: 'usage-adoption',
  title: 'Usage: adoption',
  description: 'New, returning and active users, and what they use. No personal data.',
  days: true,
  rows: [
    row(
      44,
      bars('New and returning users', 'monthly_overview', {
        description: "Distinct users of each month. Everyone is new in an organization's first 28 days.",
        x: 'month',
        slanted: true,
        where: last13Months,
        metrics: ['new_users', 'returning_users_highest'],
        stacked: true,
        format: counts,
      }),
      bars('Users who stopped', 'weekly_overview', {
        description: 'Active in the week before, and not in this one. Null while the week is running.',
        x: 'week',
        slanted: true,
        where: last13Weeks,
        metrics: ['stopped_users_highest'],
        format: counts,
      }),
    ),
    row(
      44,
      lines('Active users by client', 'adoption_by_client', {
        description: 'A user of several clients counts in each.',
        x: 'usage_date',
        days: 'usage_date',
        metrics: ['daily_active_users_busiest_day'],
        by: 'client_type',
        format: counts,
      }),
      lines('Stickiness', 'daily_overview', {
        description: 'Daily active users / monthly active users.',
        x: 'usage_date',
        days: 'usage_date',
        metrics: ['stickiness'],
        format: '.0%',
      }),
    ),
    row(
      44,
      bars('Users by status', 'users', {
        description:
          'As of the last day held. new: began within 28 days; active; dormant: none in 28 days; gone: none in 90 days; never.',
        x: 'status',
        metrics: ['rows'],
        format: counts,
      }),
      areas('Autonomy', 'autonomy_levels', {
        description: 'Share of the tool calls of each day, by how much is left to the agent.',
        x: 'usage_date',
        days: 'usage_date',
        metrics: ['share_highest'],
        by: 'autonomy_level',
        format: '.0%',
      }),
    ),
    row(
      52,
      heatmap('Retention', 'user_cohorts', {
        description:
          'Of the users who began in a month, the share that was active so many months later. Whole months only.',
        x: 'months_since',
        y: 'cohort',
        metric: 'retention',
        format: '.0%',
      }),
    ),
    row(
      44,
      ranking('Tools', 'tool_usage', { of: 'tool_name', metric: 'invocations', days: 'usage_date' }),
      ranking('MCP servers', 'mcp_server_usage', {
        of: 'server_name',
        metric: 'invocations',
        days: 'usage_date',
      }),
      ranking('Languages', 'productivity_by_language', {
        of: 'language',
        metric: 'file_operations',
        days: 'usage_date',
      }),
    ),
  ],
};
