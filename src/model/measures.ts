/**
 * The catalog of the views' columns: unit and additivity of every measure, meaning of every attribute. Column comments,
 * the data dictionary and BI tools read it.
 */
import { attributes } from './attributes.ts';

/** How values of several days become one: their sum, the last, the highest, or not at all. */
export type OverDays = 'sum' | 'last' | 'max' | 'never';

/** A figure. */
export interface Measure {
  readonly what: string;
  readonly unit: string;
  readonly overDays: OverDays;
  /** Why it cannot be summed over days, or what else it cannot be summed over. */
  readonly note?: string;
}

const credits = measure('Standard Credits consumed', 'credits', 'sum');
const distinctUsers = (what: string, overDays: OverDays = 'never', note = 'the same user counts each time') =>
  measure(what, 'users', overDays, note);
const share = (what: string) => measure(what, 'share, 0 to 1', 'never', 'divide the sums instead');
const average = (what: string, unit: string) => measure(what, unit, 'never', 'an average');
const averageOf7Days = (what: string, unit: string) =>
  measure(`${what}: mean of the values of the 7 days that end here`, unit, 'never', 'the windows overlap');
const window = (what: string, unit: string, days: number) =>
  measure(
    `${what} in the ${days} days that end with as_of_day`,
    unit,
    'never',
    'of one day only; additive over users',
  );
const activeDays = (days: number) =>
  measure(`Active days of the ${days} that end with as_of_day`, 'days', 'never', 'of one day only');
const summed = (what: string, unit: string) => measure(what, unit, 'sum');
const snapshot = (what: string) => measure(what, 'days', 'never', 'as of now');

function measure(what: string, unit: string, overDays: OverDays, note?: string): Measure {
  return { what, unit, overDays, ...(note === undefined ? {} : { note }) };
}

/** Measures by column name. A key such as `view.column` applies to the column of that view only. */
export const measures: Readonly<Record<string, Measure>> = {
  credits,
  input_tokens: summed('Raw input tokens', 'tokens'),
  output_tokens: summed('Raw output tokens', 'tokens'),
  cache_read_tokens: summed('Tokens read from the prompt cache', 'tokens'),
  cache_write_tokens: summed('Tokens written to the prompt cache', 'tokens'),
  cost: summed('Credits × price / 1,000,000; null where nothing is priced', 'currency'),
  unpriced_credits: summed('Part of the credits without a price', 'credits'),
  daily_active_users: distinctUsers('Unique users of the day, as the platform counts them', 'max'),
  weekly_active_users: distinctUsers(
    'Unique users of the 7 days that end with the day, as the platform counts them',
    'last',
    'the windows overlap',
  ),
  monthly_active_users: distinctUsers(
    'Unique users of the 30 days that end with the day, as the platform counts them',
    'last',
    'the windows overlap',
  ),
  mcp_users: distinctUsers('Users who used MCP servers', 'max'),
  web_users: distinctUsers('Users of the web application', 'max'),
  active_users: distinctUsers('Distinct users with an active day (/users)'),
  new_users: measure(
    'Users whose first active day ever lies in the period',
    'users',
    'sum',
    'additive over periods of one length; everyone is new in the first 28 days',
  ),
  returning_users: distinctUsers('Active users who are not new'),
  stopped_users: distinctUsers('Users active in the period before, and not in this one'),
  users: distinctUsers(
    'Users who began in the cohort month',
    'never',
    'additive over cohorts, not over months_since',
  ),
  sessions: summed('Sessions', 'sessions'),
  'session_messages_by_day.sessions': measure(
    'Sessions with such a message',
    'sessions',
    'never',
    'nor over models or roles: a session is summed in each',
  ),
  messages: summed('Messages of users and assistants', 'messages'),
  user_messages: summed('Messages of users', 'messages'),
  assistant_messages: summed('Messages of assistants', 'messages'),
  tool_calls: summed('Tool calls', 'calls'),
  skill_invocations: summed('Skill invocations', 'invocations'),
  slash_command_invocations: summed('Slash command invocations', 'invocations'),
  hook_invocations: summed('Hook invocations', 'invocations'),
  invocations: summed('Invocations', 'invocations'),
  mcp_calls: summed('Calls of MCP tools', 'calls'),
  skill_calls: summed('Skill invocations', 'invocations'),
  slash_commands: summed('Slash command invocations', 'invocations'),
  hooks: summed('Hook invocations', 'invocations'),
  files_created: summed('Files created', 'files'),
  files_edited: summed('Files edited', 'files'),
  git_commits: summed('Git commits', 'commits'),
  git_prs_created: summed('Pull requests created', 'pull requests'),
  file_operations: measure(
    'File operations',
    'operations',
    'sum',
    'operations on files without a known language or extension are in none',
  ),
  autonomy_ratio: average('Tool calls per user turn', 'calls per turn'),
  autonomy_ratio_avg: average(
    'Tool calls per user turn, mean over the sessions of the day',
    'calls per turn',
  ),
  autonomy_ratio_p50: measure('Tool calls per user turn, median', 'calls per turn', 'never', 'a percentile'),
  autonomy_ratio_p90: measure(
    'Tool calls per user turn, 90th percentile',
    'calls per turn',
    'never',
    'a percentile',
  ),
  tool_calls_per_session_avg: average('Tool calls per session, mean', 'calls per session'),
  user_turns_per_session_avg: average('User turns per session, mean', 'turns per session'),
  stickiness: share('Daily active users / monthly active users'),
  cache_hit_ratio: share('Tokens read from the cache / (input + cache read + cache write)'),
  credits_per_active_user: average('Credits / active users; null without active users', 'credits per user'),
  credits_7d_avg: averageOf7Days('Credits', 'credits'),
  daily_active_users_7d_avg: averageOf7Days('Daily active users', 'users'),
  sessions_7d_avg: averageOf7Days('Sessions', 'sessions'),
  tool_calls_7d_avg: averageOf7Days('Tool calls', 'calls'),
  git_commits_7d_avg: averageOf7Days('Git commits', 'commits'),
  git_prs_created_7d_avg: averageOf7Days('Pull requests created', 'pull requests'),
  run_rate_credits: measure(
    'Credits of a month that is not over, as they would be at its end: credits / days held by tokens × days of the month',
    'credits',
    'never',
    'an estimate',
  ),
  share_of_day: share(
    'Part of the figure of the organization on the day; less than 1 over all rows where the platform leaves a remainder',
  ),
  share_of_active_users: measure(
    'Part of the active users of the day who used the client',
    'share, 0 to 1',
    'never',
    'nor over clients: a user of several counts in each',
  ),
  share: measure(
    'Share of the tool calls of the day made at the level, as reported',
    'share, 0 to 1',
    'never',
    'weight it with tool_calls of bi.daily_overview; it says nothing of users or credits',
  ),
  retention: share('Active users / users of the cohort'),
  spellings: measure(
    'Spellings of the name reported on the day',
    'names',
    'never',
    'the same spelling counts each day',
  ),
  active_days_7: activeDays(7),
  active_days_28: activeDays(28),
  active_days_90: activeDays(90),
  credits_28d: window('Credits, as /tokens charges them, 0 if none,', 'credits', 28),
  sessions_28d: window('Sessions', 'sessions', 28),
  git_commits_28d: window('Git commits', 'commits', 28),
  git_prs_created_28d: window('Pull requests created', 'pull requests', 28),
  days_behind: snapshot('Days from last_day to yesterday (UTC): 0 is up to date'),
  days_loaded: snapshot('Days with data'),
  days_empty: snapshot('Days for which the platform has nothing'),
  days_pending: snapshot('Days that the platform answered without rows, which was not believed yet'),
  days_failed: snapshot('Days of which nothing is held because the last try failed'),
  days_refused: snapshot(
    'Days that are held, and of which an answer was refused that people must decide about',
  ),
  days_missing: snapshot('Days that were asked for and are not held: the rows of bi.data_gaps'),
  limit_credits: measure(
    'Limit of the user in Standard Credits; null: none of their own',
    'credits',
    'never',
    'as of now',
  ),
  credits_this_month: measure(
    'Credits of the user in this month (UTC), as /tokens charges them; null: none reported',
    'credits',
    'never',
    'of one month only; additive over users',
  ),
  used_share: share('Credits of this month / limit'),
  rows_rejected: measure('Records of the platform that could not be loaded', 'records', 'never', 'as of now'),
};

const overDaysText: Readonly<Record<OverDays, string>> = {
  sum: 'Additive',
  last: 'Not additive over days, take the last day',
  max: 'Not additive over days, take the highest day',
  never: 'Not additive over days',
};

/** The measure of a view's column; undefined for an attribute or an unknown column. */
export function measureOf(view: string, column: string): Measure | undefined {
  if (attributes[`${view}.${column}`] !== undefined) return undefined;
  return measures[`${view}.${column}`] ?? measures[column];
}

/** The comment of a view's column; undefined for an unknown column. */
export function columnComment(view: string, column: string): string | undefined {
  const figure = measureOf(view, column);
  if (figure === undefined) return attributes[`${view}.${column}`] ?? attributes[column];
  const { what, unit, overDays, note } = figure;
  return `${what}. Unit: ${unit}. ${overDaysText[overDays]}${note === undefined ? '' : `: ${note}`}.`;
}
