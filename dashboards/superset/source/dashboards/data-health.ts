import { type Dashboard, row } from '../dashboard.ts';
import { bigNumber, rows, table } from '../figures.ts';
import { bars, counts } from '../series.ts';

export const dataHealth: Dashboard = {
  slug: 'usage-data-health',
  title: 'Usage: data health',
  description: 'How complete the data is. Look here first when a figure looks wrong.',
  rows: [
    row(
      22,
      bigNumber('Data up to', 'data_freshness', {
        metric: 'last_day_of_all',
        format: 'day',
        subtitle: 'last day that all endpoints hold',
      }),
      bigNumber('Days behind', 'data_freshness', {
        metric: 'days_behind_highest',
        subtitle: 'of the endpoint that is furthest behind',
      }),
      bigNumber('Days missing', 'data_freshness', {
        metric: 'days_missing_total',
        subtitle: 'requested but not loaded, over all endpoints',
      }),
      bigNumber('Records rejected', 'data_freshness', {
        metric: 'rows_rejected_total',
        subtitle: 'that could not be loaded',
      }),
    ),
    row(
      34,
      rows('Endpoints', 'data_freshness', {
        columns: [
          'endpoint',
          'first_day',
          'last_day',
          'days_behind',
          'days_loaded',
          'days_empty',
          'days_pending',
          'days_failed',
          'days_refused',
          'days_missing',
          'rows_rejected',
          'last_fetched_at',
          'last_loaded_at',
        ],
        order: [['endpoint', true]],
      }),
    ),
    row(
      48,
      bars('Missing days by month', 'data_gaps', {
        description: 'Empty when the data is whole.',
        x: 'month',
        slanted: true,
        metrics: ['rows'],
        by: 'endpoint',
        stacked: true,
        format: counts,
      }),
      rows('Missing days', 'data_gaps', {
        description: 'Empty when the data is whole.',
        columns: ['endpoint', 'usage_date', 'reason', 'error'],
        order: [
          ['usage_date', false],
          ['endpoint', true],
        ],
      }),
    ),
    row(
      30,
      table('Months that are not whole', 'monthly_overview', {
        description: 'Their figures are sums over the loaded days.',
        by: ['month'],
        where: 'not is_complete',
        metrics: ['credits', 'sessions'],
        sort: 'latest_month',
      }),
    ),
  ],
};
