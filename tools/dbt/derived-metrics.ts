/** Metrics derived from several figures, and cumulative metrics. */
import { labelOf } from './semantic-model.ts';

function derived(name: string, type: string, description: string, parameters: object): object {
  return { name, label: labelOf(name), description, type, type_params: parameters };
}

const ratio = (name: string, description: string, numerator: string, denominator: string) =>
  derived(name, 'ratio', description, { numerator, denominator });

const running = (name: string, description: string, measure: string, over: object) =>
  derived(name, 'cumulative', description, {
    measure,
    // A longer period takes the last running sum: the first one, or their mean, would mean nothing.
    cumulative_type_params: { ...over, period_agg: 'last' },
  });

export const derivedMetrics: readonly object[] = [
  running('credits_month_to_date', 'Credits since the first day of the month. Unit: credits.', 'credits', {
    grain_to_date: 'month',
  }),
  running('credits_last_28_days', 'Credits of the 28 days that end with the day. Unit: credits.', 'credits', {
    window: '28 days',
  }),
  derived('credits_of_month_before', 'derived', 'Credits of a month earlier. Unit: credits.', {
    expr: 'credits_before',
    metrics: [{ name: 'credits', alias: 'credits_before', offset_window: '1 month' }],
  }),
  derived(
    'credits_change',
    'derived',
    'Credits / credits of a month earlier - 1. Unit: share, 0 is no change.',
    {
      expr: 'credits / nullif(credits_before, 0) - 1',
      metrics: [{ name: 'credits' }, { name: 'credits', alias: 'credits_before', offset_window: '1 month' }],
    },
  ),
  ratio(
    'stickiness',
    'Daily active users / monthly active users, of the last day of each period. Unit: share, 0 to 1.',
    'daily_active_users',
    'monthly_active_users',
  ),
  derived(
    'cache_hit_ratio',
    'derived',
    'Tokens read from the cache / (input + cache read + cache write), over the sums of the period. Unit: share, 0 to 1.',
    {
      expr: 'cache_read_tokens::double precision / nullif(input_tokens + cache_read_tokens + cache_write_tokens, 0)',
      metrics: [{ name: 'input_tokens' }, { name: 'cache_read_tokens' }, { name: 'cache_write_tokens' }],
    },
  ),
  ratio(
    'credits_per_commit',
    'Credits / git commits, over the sums of the period. Unit: credits.',
    'credits',
    'git_commits',
  ),
  ratio(
    'credits_per_active_user',
    'Credits / distinct users with an active day in the period. Unit: credits per user.',
    'credits',
    'active_users',
  ),
  derived(
    'retention',
    'ratio',
    'Active users / users of the cohort: ask for it by user_cohorts__months_since. Unit: share, 0 to 1.',
    {
      numerator: 'active_users_of_cohort',
      denominator: 'users_of_cohort',
    },
  ),
];
