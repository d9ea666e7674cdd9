import { type Dashboard, row } from '../dashboard.ts';
import { bigNumber, pivot } from '../figures.ts';
import { bars, lines } from '../series.ts';
import { last6Months, last13Months } from './periods.ts';

const running = "month_start + interval '1 month' > (now() at time zone 'utc')::date";

export const cost: Dashboard = {
  slug: 'usage-cost',
  title: 'Usage: cost',
  description:
    'Credits and cost of the agents by model, team and cost center. Costs need prices (prices import), teams need people (people import).',
  days: true,
  rows: [
    row(
      22,
      bigNumber('Credits this month', 'monthly_overview', {
        metric: 'credits',
        where: running,
        subtitle: 'up to the last day held (running)',
      }),
      bigNumber('Run rate of the month', 'monthly_overview', {
        metric: 'run_rate_credits_highest',
        where: running,
        subtitle: 'credits at its end, at the pace so far',
      }),
      bigNumber('Cost this month', 'cost_by_month', {
        metric: 'cost',
        format: ',.2f',
        where: running,
        subtitle: 'of the credits that have a price (running)',
      }),
      bigNumber('Credits without a price', 'cost_by_month', {
        metric: 'unpriced_share',
        format: '.1%',
        where: last13Months,
        subtitle: 'of all credits of 13 months',
      }),
    ),
    row(
      48,
      bars('Credits by model', 'credits_by_model', {
        x: 'usage_date',
        days: 'usage_date',
        metrics: ['credits'],
        by: 'model_id',
        stacked: true,
        limit: 10,
      }),
      bars('Cost by team', 'cost_by_month', {
        description:
          'By month. unassigned: users without a team; unattributed: credits that no user accounts for.',
        x: 'month',
        slanted: true,
        where: last13Months,
        metrics: ['cost'],
        by: 'team',
        stacked: true,
        limit: 12,
      }),
    ),
    row(
      48,
      bars('Credits by month', 'monthly_overview', {
        x: 'month',
        slanted: true,
        where: last13Months,
        metrics: ['credits'],
      }),
      lines('Cache hit ratio', 'daily_overview', {
        description: 'Tokens read from the prompt cache / all tokens read.',
        x: 'usage_date',
        days: 'usage_date',
        metrics: ['cache_hit_ratio'],
        format: '.0%',
      }),
    ),
    row(
      46,
      pivot('Cost by cost center', 'cost_by_month', {
        description:
          'Of the last months, in the currency of the prices. Credits without a price cost nothing here.',
        rows: ['payer', 'team'],
        columns: ['month'],
        metric: 'cost',
        format: ',.2f',
        where: last6Months,
      }),
    ),
  ],
};
