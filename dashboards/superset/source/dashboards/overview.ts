import { type Dashboard, row, rowOf } from '../dashboard.ts';
import { bigNumber, table } from '../figures.ts';
import { bars, counts, lines } from '../series.ts';
import { last13Months, last13Weeks } from './periods.ts';

export const overview: Dashboard = {
  slug: 'usage-overview',
  title: 'Usage: overview',
  description: 'Usage of the agents: this month compared with the month before, and over time.',
  days: true,
  rows: [
    rowOf(
      42,
      [
        table('Month to date', 'month_to_date', {
          description: 'This month so far, compared with the same days of the month before.',
          by: ['figure'],
          metrics: ['this_month', 'month_before', 'change'],
          sort: 'order',
          ascending: true,
        }),
        5,
      ],
      [
        lines('Credits so far this month', 'month_to_date_by_day', {
          description:
            'Running sum from the first day of the month, compared with the same days of the month before.',
          x: 'day_of_month',
          metrics: ['credits_so_far'],
          by: 'period',
        }),
        4,
      ],
      [
        bigNumber('Data up to', 'data_freshness', {
          description: 'The last day that all five daily endpoints hold.',
          metric: 'last_day_of_all',
          format: 'day',
          subtitle: 'last day that all endpoints hold',
        }),
        3,
      ],
    ),
    row(
      42,
      lines('Active users', 'daily_overview', {
        description: 'As the platform counts them, over 1, 7 and 30 days.',
        x: 'usage_date',
        days: 'usage_date',
        metrics: [
          'daily_active_users_busiest_day',
          'weekly_active_users_last_day',
          'monthly_active_users_last_day',
        ],
        format: counts,
      }),
    ),
    row(
      42,
      lines('Credits per day', 'daily_overview', {
        description: 'With the mean of the 7 days that end with each day.',
        x: 'usage_date',
        days: 'usage_date',
        metrics: ['credits', 'credits_7d_avg_highest'],
      }),
      bars('Sessions per day', 'daily_overview', {
        x: 'usage_date',
        days: 'usage_date',
        metrics: ['sessions'],
      }),
    ),
    row(
      40,
      bars('Commits and pull requests per week', 'weekly_overview', {
        x: 'week',
        slanted: true,
        where: last13Weeks,
        metrics: ['git_commits', 'git_prs_created'],
      }),
    ),
    row(
      58,
      table('Months', 'monthly_overview', {
        description: 'Users are distinct within a month; only the current month has a run rate.',
        by: ['month'],
        where: last13Months,
        metrics: [
          'active_users_highest',
          'new_users',
          'returning_users_highest',
          'stopped_users_highest',
          'credits',
          'run_rate_credits_highest',
          'sessions',
          'git_commits',
          'git_prs_created',
        ],
        sort: 'latest_month',
      }),
    ),
  ],
};
