import { dashboard } from '../dashboard.ts';
import { figure, stacked, table } from '../panels.ts';
import { byDay } from '../queries.ts';

export const dataHealth = dashboard(
  'usage-etl-data-health',
  'Usage: data health',
  'How complete the data is: up to which day it reaches, and which days are missing.',
  [
    figure({
      title: 'Days behind',
      description: 'Of the endpoint that is furthest behind: 0 when all hold yesterday (UTC).',
      sql: 'select max(days_behind) as days_behind from bi.data_freshness where org_id in ($org)',
      width: 8,
    }),
    figure({
      title: 'Missing days',
      description: 'Requested days of the range that are not loaded, over all endpoints.',
      sql: 'select count(*) as missing_days from bi.data_gaps where $__timeFilter(usage_date) and org_id in ($org)',
      width: 8,
    }),
    figure({
      title: 'Rejected records',
      description: 'Records of the platform that could not be loaded.',
      sql: 'select sum(rows_rejected) as rows_rejected from bi.data_freshness where org_id in ($org)',
      width: 8,
    }),
    table({
      title: 'Freshness',
      description: 'Of each endpoint, independent of the range.',
      width: 24,
      sql: `
select
  org_id,
  endpoint,
  first_day,
  last_day,
  days_behind,
  days_loaded,
  days_empty,
  days_pending,
  days_failed,
  days_refused,
  days_missing,
  rows_rejected,
  last_fetched_at,
  last_loaded_at
from bi.data_freshness
where org_id in ($org)
order by org_id, endpoint`,
    }),
    stacked({
      title: 'Missing days by reason',
      description: 'One for each endpoint and day. No bars: no day is missing.',
      sql: byDay('data_gaps', 'reason', 'missing_days', 'count(*)'),
    }),
    table({
      title: 'What is missing',
      description: 'The newest hundred.',
      sql: `
select
  org_id,
  endpoint,
  usage_date,
  reason,
  error
from bi.data_gaps
where $__timeFilter(usage_date)
  and org_id in ($org)
order by usage_date desc, org_id, endpoint
limit 100`,
    }),
  ],
);
