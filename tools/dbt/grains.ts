/** The grain of each view, which cannot be derived. dbt's uniqueness tests and metric names use it. */

/** A view's grain. */
export interface Grain {
  /** The columns that identify a row within an organization. */
  readonly keys: readonly string[];
  /** The time column of metrics and its granularity; absent for views without figures over time. */
  readonly time?: { readonly column: string; readonly granularity: 'day' | 'week' | 'month' };
  /** Suffix of metric names: `credits` of credits_by_team is the metric `credits_by_team`. */
  readonly suffix?: string;
}

function daily(suffix: string, ...keys: readonly string[]): Grain {
  return { keys: ['usage_date', ...keys], time: { column: 'usage_date', granularity: 'day' }, suffix };
}

function monthly(suffix: string, ...keys: readonly string[]): Grain {
  return { keys: ['month_start', ...keys], time: { column: 'month_start', granularity: 'month' }, suffix };
}

/** Grains by the name of the view; a view outside of `bi` is named with its schema. */
export const grains: Readonly<Record<string, Grain>> = {
  adoption_by_client: daily('_by_client', 'client_type'),
  autonomy_levels: daily('_by_autonomy_level', 'autonomy_level'),
  calendar: { keys: ['date_day'] },
  computer_status: { keys: ['computer_id'] },
  cost_by_month: monthly('_of_month_by_team_and_model', 'team', 'model_id', 'model_tier', 'currency'),
  credits_by_model: daily('_by_model', 'model_id', 'model_tier'),
  credits_by_team: daily('_by_team', 'team'),
  credits_by_user: daily('_by_user', 'user_id'),
  credits_by_user_and_model: daily('_by_user_and_model', 'user_id', 'model_id', 'model_tier'),
  daily_overview: daily(''),
  data_freshness: { keys: ['endpoint'] },
  data_gaps: daily('', 'endpoint'),
  hook_usage: daily('_by_hook', 'event', 'matcher', 'command'),
  mcp_server_usage: daily('_by_mcp_server', 'server_name'),
  monthly_overview: monthly('_of_month'),
  productivity_by_extension: daily('_by_extension', 'extension'),
  productivity_by_language: daily('_by_language', 'language'),
  readiness_by_criterion: { keys: ['criterion_id'] },
  readiness_by_repository: { keys: ['repo_url'] },
  session_hooks: { keys: ['usage_date', 'event', 'status'] },
  session_messages_by_day: daily('_in_registered_sessions', 'model_id', 'role'),
  sessions: { keys: ['session_id'] },
  skill_usage: daily('_by_skill', 'skill_name'),
  slash_command_usage: daily('_by_slash_command', 'command_name'),
  team_overview: monthly('_of_month_by_team', 'team'),
  tool_usage: daily('_by_tool', 'tool_name'),
  user_activity: daily('_in_user_activity', 'user_id'),
  user_cohorts: {
    keys: ['cohort_month', 'months_since'],
    time: { column: 'cohort_month', granularity: 'month' },
    suffix: '_of_cohort',
  },
  user_languages: daily('', 'user_id', 'language'),
  users: { keys: ['user_id'] },
  weekly_overview: {
    keys: ['week_start'],
    time: { column: 'week_start', granularity: 'week' },
    suffix: '_of_week',
  },
  'bi_people.credit_limits': { keys: ['user_email'] },
  'bi_people.users': { keys: ['user_id'] },
};
