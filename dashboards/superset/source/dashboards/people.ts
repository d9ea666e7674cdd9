import { type Dashboard, row } from '../dashboard.ts';
import { rows } from '../figures.ts';
import { bars, counts, ranking } from '../series.ts';

export const people: Dashboard = {
  slug: 'usage-people',
  title: 'Usage: people',
  description:
    'Personal data: only for roles that may read bi_people. As of the last day that is loaded of /users.',
  people: true,
  rows: [
    row(
      50,
      ranking('Credits of 28 days by person', 'bi_people.people', {
        of: 'person',
        metric: 'credits_28d_total',
        top: 15,
      }),
      bars('Users by team and status', 'bi_people.people', {
        x: 'team',
        metrics: ['rows'],
        by: 'status',
        stacked: true,
        format: counts,
      }),
    ),
    row(
      48,
      rows('Who stopped', 'bi_people.people', {
        description: 'No active day in 28 days.',
        columns: ['person', 'team', 'status', 'last_active_day', 'active_days_90'],
        where: "status in ('dormant', 'gone')",
        order: [['last_active_day', false]],
      }),
      rows('Credit limits', 'bi_people.credit_limits', {
        description: 'Limits that this program set, and the share used this month.',
        columns: ['user_email', 'limit_credits', 'credits_this_month', 'used_share'],
        order: [['used_share', false]],
        formats: {
          limit_credits: { d3NumberFormat: ',d' },
          credits_this_month: { d3NumberFormat: ',.0f' },
          used_share: { d3NumberFormat: '.0%' },
        },
      }),
    ),
    row(
      80,
      rows('People', 'bi_people.people', {
        columns: [
          'person',
          'team',
          'department',
          'status',
          'last_active_day',
          'active_days_28',
          'credits_28d',
          'sessions_28d',
          'git_commits_28d',
          'favourite_model',
          'preferred_autonomy',
        ],
        order: [['credits_28d', false]],
        limit: 1_000,
        formats: { credits_28d: { d3NumberFormat: ',.0f' } },
      }),
    ),
  ],
};
