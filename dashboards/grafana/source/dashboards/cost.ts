import { dashboard } from '../dashboard.ts';
import { figure, stacked, table } from '../panels.ts';
import { byDay } from '../queries.ts';

/** Credits of this month up to yesterday, or of the same days `monthsBack` months before. */
const toDate = (monthsBack: number) => `
select sum(credits) as credits
from bi.daily_overview
where usage_date >= date_trunc('month', (now() at time zone 'utc')::date - interval '1 day') - interval '${monthsBack} months'
  and usage_date < (now() at time zone 'utc')::date - interval '${monthsBack} months'
  and org_id in ($org)`;

export const cost = dashboard(
  'usage-etl-cost',
  'Usage: cost',
  'Credits and cost of the agents. Costs need prices (prices import), teams need people (people import).',
  [
    figure({
      title: 'Credits this month, to yesterday',
      description: 'The running month: compare it with the figure beside it, not with a whole month.',
      sql: toDate(0),
    }),
    figure({
      title: 'The same days of the month before',
      description: 'From its first day to the same day of the month as yesterday.',
      sql: toDate(1),
    }),
    figure({
      title: 'Run rate of the month',
      description: 'An estimate: credits / days held × days of the month. None when the month is over.',
      sql: `
select sum(run_rate_credits) as run_rate_credits
from bi.monthly_overview
where month_start = date_trunc('month', (now() at time zone 'utc')::date - interval '1 day')
  and org_id in ($org)`,
    }),
    figure({
      title: 'Credits without a price',
      description: 'Share of the credits of the range. The cost does not include them.',
      unit: 'percentunit',
      sql: `
select sum(unpriced_credits) / nullif(sum(credits), 0) as unpriced_share
from bi.credits_by_team
where $__timeFilter(usage_date)
  and org_id in ($org)`,
    }),
    stacked({
      title: 'Credits by model',
      description: 'Of the day, as /tokens charges them.',
      sql: byDay('credits_by_model', 'model_id', 'credits'),
    }),
    stacked({
      title: 'Credits by team',
      description: 'unassigned: users without a team; unattributed: credits that no user accounts for.',
      sql: byDay('credits_by_team', 'team', 'credits'),
    }),
    table({
      title: 'Cost by team',
      description: 'Of the days of the range; one row for each currency.',
      sql: `
select
  team,
  currency,
  sum(credits) as credits,
  round(sum(cost), 2) as cost,
  sum(unpriced_credits) as unpriced_credits
from bi.credits_by_team
where $__timeFilter(usage_date)
  and org_id in ($org)
group by team, currency
order by cost desc nulls last, team`,
    }),
    table({
      title: 'Cost by month, cost center and model',
      description: 'Months that begin in the range; the running one ends with the last day held.',
      sql: `
select
  to_char(month_start, 'YYYY-MM') as month,
  cost_center,
  model_id,
  currency,
  sum(credits) as credits,
  round(sum(cost), 2) as cost
from bi.cost_by_month
where $__timeFilter(month_start)
  and org_id in ($org)
group by month_start, cost_center, model_id, currency
order by month_start desc, cost desc nulls last, cost_center, model_id`,
    }),
  ],
);
