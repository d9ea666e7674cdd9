/**
 * Types of the database, for Kysely. Generated from the migrated schema by `npm run types`: do not edit.
 * Run it after every change in sql/migrations or sql/views.
 */

import type { ColumnType } from "kysely";

export type ArrayType<T> = ArrayTypeImpl<T> extends (infer U)[]
  ? U[]
  : ArrayTypeImpl<T>;

export type ArrayTypeImpl<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S[], I[], U[]>
  : T[];

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export type Int8 = ColumnType<string, bigint | number | string, bigint | number | string>;

export type Json = JsonValue;

export type JsonArray = JsonValue[];

export type JsonObject = {
  [x: string]: JsonValue | undefined;
};

export type JsonPrimitive = boolean | number | string | null;

export type JsonValue = JsonArray | JsonObject | JsonPrimitive;

export type Numeric = ColumnType<string, number | string, number | string>;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface BiAdoptionByClient {
  /**
   * Client type as reported.
   */
  client_type: string | null;
  /**
   * Unique users of the day, as the platform counts them. Unit: users. Not additive over days, take the highest day: the same user counts each time.
   */
  daily_active_users: Int8 | null;
  /**
   * What it means; null when not documented.
   */
  description: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Part of the active users of the day who used the client. Unit: share, 0 to 1. Not additive over days: nor over clients: a user of several counts in each.
   */
  share_of_active_users: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiAutonomyLevels {
  /**
   * Level code, for example auto-high.
   */
  autonomy_level: string | null;
  /**
   * Order of the levels, a higher number leaves more to the agent; null when not documented.
   */
  autonomy_rank: number | null;
  /**
   * What it means; null when not documented.
   */
  description: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Share of the tool calls of the day made at the level, as reported. Unit: share, 0 to 1. Not additive over days: weight it with tool_calls of bi.daily_overview; it says nothing of users or credits.
   */
  share: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiCalendar {
  /**
   * UTC day.
   */
  date_day: string | null;
  /**
   * English name of the weekday.
   */
  day_name: string | null;
  /**
   * Day of the month, 1 to 31.
   */
  day_of_month: number | null;
  /**
   * Day of the ISO week: 1 is Monday, 7 is Sunday.
   */
  day_of_week: number | null;
  /**
   * Whether the day is a Saturday or Sunday.
   */
  is_weekend: boolean | null;
  /**
   * ISO 8601 week, 1 to 53.
   */
  iso_week: number | null;
  /**
   * ISO 8601 year of the week.
   */
  iso_year: number | null;
  /**
   * Month of the year, 1 to 12.
   */
  month: number | null;
  /**
   * English name of the month.
   */
  month_name: string | null;
  /**
   * First day of the month.
   */
  month_start: string | null;
  /**
   * Quarter of the calendar year, 1 to 4.
   */
  quarter: number | null;
  /**
   * Monday of the ISO week.
   */
  week_start: string | null;
  /**
   * Calendar year.
   */
  year: number | null;
}

export interface BiComputerStatus {
  /**
   * Computer id.
   */
  computer_id: string | null;
  /**
   * Computer key, see warehouse.dim_computer.
   */
  computer_key: number | null;
  /**
   * Name as last seen. Not unique.
   */
  computer_name: string | null;
  /**
   * Snapshots in which the computer is in error, of all days, one after the other or not.
   */
  days_in_error: Int8 | null;
  /**
   * First of the snapshots in error, one after the other, that lead to snapshot_date; null when the computer is not in error.
   */
  error_since: string | null;
  /**
   * Name of the step that failed, on snapshot_date: one with an error, or whose status is error or failed; of several the one that began last; null when none did.
   */
  failing_step: string | null;
  /**
   * UTC day of the first snapshot that has the computer.
   */
  first_seen: string | null;
  /**
   * Whether the last reading of the organization's computers has it.
   */
  is_listed: boolean | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * Provider as last seen.
   */
  provider_type: string | null;
  /**
   * UTC day of the newest snapshot that has the computer.
   */
  snapshot_date: string | null;
  /**
   * Status on that day: provisioning, active, error, or as reported; null when not reported.
   */
  status: string | null;
}

export interface BiCostByMonth {
  /**
   * Credits × price / 1,000,000; null where nothing is priced. Unit: currency. Additive.
   */
  cost: Numeric | null;
  /**
   * Cost center that pays; null when not given.
   */
  cost_center: string | null;
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Currency of the cost; null where nothing is priced.
   */
  currency: string | null;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * Model id as reported.
   */
  model_id: string | null;
  /**
   * Tier as reported, or unknown.
   */
  model_tier: string | null;
  /**
   * First day of the month.
   */
  month_start: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Team of the day; unassigned: without a team; unattributed: credits that no user accounts for.
   */
  team: string | null;
  /**
   * Part of the credits without a price. Unit: credits. Additive.
   */
  unpriced_credits: Numeric | null;
}

export interface BiCreditsByModel {
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Raw input tokens. Unit: tokens. Additive.
   */
  input_tokens: Int8 | null;
  /**
   * Model id as reported.
   */
  model_id: string | null;
  /**
   * Tier as reported, or unknown.
   */
  model_tier: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Raw output tokens. Unit: tokens. Additive.
   */
  output_tokens: Int8 | null;
  /**
   * Part of the figure of the organization on the day; less than 1 over all rows where the platform leaves a remainder. Unit: share, 0 to 1. Not additive over days: divide the sums instead.
   */
  share_of_day: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiCreditsByTeam {
  /**
   * Distinct users with an active day (/users). Unit: users. Not additive over days: the same user counts each time.
   */
  active_users: Numeric | null;
  /**
   * Credits × price / 1,000,000; null where nothing is priced. Unit: currency. Additive.
   */
  cost: Numeric | null;
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Currency of the cost; null where nothing is priced.
   */
  currency: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Team of the day; unassigned: without a team; unattributed: credits that no user accounts for.
   */
  team: string | null;
  /**
   * Part of the credits without a price. Unit: credits. Additive.
   */
  unpriced_credits: Numeric | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiCreditsByUser {
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Part of the figure of the organization on the day; less than 1 over all rows where the platform leaves a remainder. Unit: share, 0 to 1. Not additive over days: divide the sums instead.
   */
  share_of_day: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
  /**
   * User id as the platform reports it, its own pseudonym: join lists by org_id and user_id.
   */
  user_id: string | null;
  /**
   * First letter and domain of the e-mail, the user id where there is none. Not unique.
   */
  user_label: string | null;
}

export interface BiCreditsByUserAndModel {
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Raw input tokens. Unit: tokens. Additive.
   */
  input_tokens: Int8 | null;
  /**
   * Model id as reported.
   */
  model_id: string | null;
  /**
   * Tier as reported, or unknown.
   */
  model_tier: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Raw output tokens. Unit: tokens. Additive.
   */
  output_tokens: Int8 | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
  /**
   * User id as the platform reports it, its own pseudonym: join lists by org_id and user_id.
   */
  user_id: string | null;
  /**
   * First letter and domain of the e-mail, the user id where there is none. Not unique.
   */
  user_label: string | null;
}

export interface BiDailyOverview {
  /**
   * Tool calls per user turn, mean over the sessions of the day. Unit: calls per turn. Not additive over days: an average.
   */
  autonomy_ratio_avg: number | null;
  /**
   * Tool calls per user turn, median. Unit: calls per turn. Not additive over days: a percentile.
   */
  autonomy_ratio_p50: number | null;
  /**
   * Tool calls per user turn, 90th percentile. Unit: calls per turn. Not additive over days: a percentile.
   */
  autonomy_ratio_p90: number | null;
  /**
   * Tokens read from the cache / (input + cache read + cache write). Unit: share, 0 to 1. Not additive over days: divide the sums instead.
   */
  cache_hit_ratio: number | null;
  /**
   * Tokens read from the prompt cache. Unit: tokens. Additive.
   */
  cache_read_tokens: Int8 | null;
  /**
   * Tokens written to the prompt cache. Unit: tokens. Additive.
   */
  cache_write_tokens: Int8 | null;
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Credits: mean of the values of the 7 days that end here. Unit: credits. Not additive over days: the windows overlap.
   */
  credits_7d_avg: number | null;
  /**
   * Credits / active users; null without active users. Unit: credits per user. Not additive over days: an average.
   */
  credits_per_active_user: number | null;
  /**
   * Unique users of the day, as the platform counts them. Unit: users. Not additive over days, take the highest day: the same user counts each time.
   */
  daily_active_users: Int8 | null;
  /**
   * Daily active users: mean of the values of the 7 days that end here. Unit: users. Not additive over days: the windows overlap.
   */
  daily_active_users_7d_avg: number | null;
  /**
   * Files created. Unit: files. Additive.
   */
  files_created: Int8 | null;
  /**
   * Files edited. Unit: files. Additive.
   */
  files_edited: Int8 | null;
  /**
   * Git commits. Unit: commits. Additive.
   */
  git_commits: Int8 | null;
  /**
   * Git commits: mean of the values of the 7 days that end here. Unit: commits. Not additive over days: the windows overlap.
   */
  git_commits_7d_avg: number | null;
  /**
   * Pull requests created. Unit: pull requests. Additive.
   */
  git_prs_created: Int8 | null;
  /**
   * Pull requests created: mean of the values of the 7 days that end here. Unit: pull requests. Not additive over days: the windows overlap.
   */
  git_prs_created_7d_avg: number | null;
  /**
   * Hook invocations. Unit: invocations. Additive.
   */
  hook_invocations: Int8 | null;
  /**
   * Raw input tokens. Unit: tokens. Additive.
   */
  input_tokens: Int8 | null;
  /**
   * Users who used MCP servers. Unit: users. Not additive over days, take the highest day: the same user counts each time.
   */
  mcp_users: Int8 | null;
  /**
   * Messages of users and assistants. Unit: messages. Additive.
   */
  messages: Int8 | null;
  /**
   * Unique users of the 30 days that end with the day, as the platform counts them. Unit: users. Not additive over days, take the last day: the windows overlap.
   */
  monthly_active_users: Int8 | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Raw output tokens. Unit: tokens. Additive.
   */
  output_tokens: Int8 | null;
  /**
   * Sessions. Unit: sessions. Additive.
   */
  sessions: Int8 | null;
  /**
   * Sessions: mean of the values of the 7 days that end here. Unit: sessions. Not additive over days: the windows overlap.
   */
  sessions_7d_avg: number | null;
  /**
   * Skill invocations. Unit: invocations. Additive.
   */
  skill_invocations: Int8 | null;
  /**
   * Slash command invocations. Unit: invocations. Additive.
   */
  slash_command_invocations: Int8 | null;
  /**
   * Daily active users / monthly active users. Unit: share, 0 to 1. Not additive over days: divide the sums instead.
   */
  stickiness: number | null;
  /**
   * Tool calls. Unit: calls. Additive.
   */
  tool_calls: Int8 | null;
  /**
   * Tool calls: mean of the values of the 7 days that end here. Unit: calls. Not additive over days: the windows overlap.
   */
  tool_calls_7d_avg: number | null;
  /**
   * Tool calls per session, mean. Unit: calls per session. Not additive over days: an average.
   */
  tool_calls_per_session_avg: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
  /**
   * Messages of users. Unit: messages. Additive.
   */
  user_messages: Int8 | null;
  /**
   * User turns per session, mean. Unit: turns per session. Not additive over days: an average.
   */
  user_turns_per_session_avg: number | null;
  /**
   * Users of the web application. Unit: users. Not additive over days, take the highest day: the same user counts each time.
   */
  web_users: Int8 | null;
  /**
   * Unique users of the 7 days that end with the day, as the platform counts them. Unit: users. Not additive over days, take the last day: the windows overlap.
   */
  weekly_active_users: Int8 | null;
}

export interface BiDataFreshness {
  /**
   * Days from last_day to yesterday (UTC): 0 is up to date. Unit: days. Not additive over days: as of now.
   */
  days_behind: number | null;
  /**
   * Days for which the platform has nothing. Unit: days. Not additive over days: as of now.
   */
  days_empty: Int8 | null;
  /**
   * Days of which nothing is held because the last try failed. Unit: days. Not additive over days: as of now.
   */
  days_failed: Int8 | null;
  /**
   * Days with data. Unit: days. Not additive over days: as of now.
   */
  days_loaded: Int8 | null;
  /**
   * Days that were asked for and are not held: the rows of bi.data_gaps. Unit: days. Not additive over days: as of now.
   */
  days_missing: Int8 | null;
  /**
   * Days that the platform answered without rows, which was not believed yet. Unit: days. Not additive over days: as of now.
   */
  days_pending: Int8 | null;
  /**
   * Endpoint: tokens, tools, activity, productivity or users.
   */
  endpoint: string | null;
  /**
   * Earliest UTC day held; null when none is.
   */
  first_day: string | null;
  /**
   * Latest UTC day held; null when none is.
   */
  last_day: string | null;
  /**
   * When the platform last answered.
   */
  last_fetched_at: Timestamp | null;
  /**
   * When stored rows last changed.
   */
  last_loaded_at: Timestamp | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Records of the platform that could not be loaded. Unit: records. Not additive over days: as of now.
   */
  rows_rejected: Numeric | null;
}

export interface BiDataGaps {
  /**
   * Endpoint: tokens, tools, activity, productivity or users.
   */
  endpoint: string | null;
  /**
   * Why the day failed; null otherwise.
   */
  error: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Why the day is not held: not_read, pending (answered without rows, not believed yet) or failed.
   */
  reason: string | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiHookUsage {
  /**
   * Command of the hook, at most 200 characters, with … in the place of what looks like an e-mail, a key or a token.
   */
  command: string | null;
  /**
   * Hook event, empty when not reported.
   */
  event: string | null;
  /**
   * Invocations. Unit: invocations. Additive.
   */
  invocations: Numeric | null;
  /**
   * What the hook matches, empty when not reported.
   */
  matcher: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiMcpServerUsage {
  /**
   * Invocations. Unit: invocations. Additive.
   */
  invocations: Numeric | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Server name, trimmed and in lower case.
   */
  server_name: string | null;
  /**
   * Spellings of the name reported on the day. Unit: names. Not additive over days: the same spelling counts each day.
   */
  spellings: Int8 | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiMonthlyOverview {
  /**
   * Distinct users with an active day (/users). Unit: users. Not additive over days: the same user counts each time.
   */
  active_users: Int8 | null;
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Git commits. Unit: commits. Additive.
   */
  git_commits: Numeric | null;
  /**
   * Pull requests created. Unit: pull requests. Additive.
   */
  git_prs_created: Numeric | null;
  /**
   * Whether all five endpoints hold every day of the period.
   */
  is_complete: boolean | null;
  /**
   * First day of the month.
   */
  month_start: string | null;
  /**
   * Users whose first active day ever lies in the period. Unit: users. Additive: additive over periods of one length; everyone is new in the first 28 days.
   */
  new_users: Int8 | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Active users who are not new. Unit: users. Not additive over days: the same user counts each time.
   */
  returning_users: Int8 | null;
  /**
   * Credits of a month that is not over, as they would be at its end: credits / days held by tokens × days of the month. Unit: credits. Not additive over days: an estimate.
   */
  run_rate_credits: number | null;
  /**
   * Sessions. Unit: sessions. Additive.
   */
  sessions: Numeric | null;
  /**
   * Users active in the period before, and not in this one. Unit: users. Not additive over days: the same user counts each time.
   */
  stopped_users: Int8 | null;
  /**
   * Tool calls. Unit: calls. Additive.
   */
  tool_calls: Numeric | null;
}

export interface BiPeopleCreditLimits {
  /**
   * When the platform first confirmed this limit.
   */
  changed_at: Timestamp | null;
  /**
   * Credits of the user in this month (UTC), as /tokens charges them; null: none reported. Unit: credits. Not additive over days: of one month only; additive over users.
   */
  credits_this_month: Numeric | null;
  /**
   * Limit of the user in Standard Credits; null: none of their own. Unit: credits. Not additive over days: as of now.
   */
  limit_credits: Int8 | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Credits of this month / limit. Unit: share, 0 to 1. Not additive over days: divide the sums instead.
   */
  used_share: number | null;
  /**
   * E-mail of the user; null when unknown. Personal data.
   */
  user_email: string | null;
}

export interface BiPeopleUsers {
  /**
   * Cost center that pays; null when not given.
   */
  cost_center: string | null;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Team of today (UTC), or unassigned.
   */
  team: string | null;
  /**
   * E-mail of the user; null when unknown. Personal data.
   */
  user_email: string | null;
  /**
   * User id as the platform reports it, its own pseudonym: join lists by org_id and user_id.
   */
  user_id: string | null;
}

export interface BiProductivityByExtension {
  /**
   * File extension as reported.
   */
  extension: string | null;
  /**
   * File operations. Unit: operations. Additive: operations on files without a known language or extension are in none.
   */
  file_operations: Int8 | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiProductivityByLanguage {
  /**
   * File operations. Unit: operations. Additive: operations on files without a known language or extension are in none.
   */
  file_operations: Int8 | null;
  /**
   * Programming language as reported.
   */
  language: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiReadinessByCriterion {
  /**
   * Id of the criterion as reported.
   */
  criterion_id: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * Those of them that pass it wholly: numerator equals denominator.
   */
  passing: Int8 | null;
  /**
   * Share of repositories that pass it wholly, 0 to 1. Not additive over criteria.
   */
  passing_share: number | null;
  /**
   * Repositories whose newest report has the criterion.
   */
  repositories: Int8 | null;
  /**
   * Sum of numerators by sum of denominators over these repositories, 0 to 1. Not additive over criteria.
   */
  score: number | null;
}

export interface BiReadinessByRepository {
  /**
   * When the newest report was made.
   */
  created_at: Timestamp | null;
  /**
   * Host in the address; null where it has none.
   */
  host: string | null;
  /**
   * Whether the platform still lists the newest report.
   */
  is_listed: boolean | null;
  /**
   * Name in the address; null where it has none.
   */
  name: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * Owner or groups in the address; null where it has none.
   */
  owner: string | null;
  /**
   * Address of the repository as reported.
   */
  repo_url: string | null;
  /**
   * Newest report, whether the platform still lists it or not.
   */
  report_id: string | null;
  /**
   * Repository key, see warehouse.dim_repository.
   */
  repository_key: number | null;
  /**
   * Sum of numerators by sum of denominators over the criteria of the newest report, 0 to 1; null where it has none. Not additive over repositories.
   */
  score: number | null;
  /**
   * Score less that of the report before; null where one of them is missing. The reports may have different criteria. Not additive over repositories.
   */
  score_change: number | null;
}

export interface BiSessionHooks {
  /**
   * Event of the hook, such as PostToolUse.
   */
  event: string | null;
  /**
   * Results whose exit code is not 0.
   */
  failures: Int8 | null;
  /**
   * The same by exit code: an object with a count for each.
   */
  failures_by_exit_code: Json | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * Commands with their results, also those that have none yet.
   */
  results: Int8 | null;
  /**
   * executing, completed or error; null where the platform does not say.
   */
  status: string | null;
  /**
   * UTC day on which the hook started, else on which its message was made; null where the platform says neither.
   */
  usage_date: string | null;
}

export interface BiSessionMessagesByDay {
  /**
   * Unicode code points of all texts in the messages, whether the texts are kept or not.
   */
  characters: Int8 | null;
  /**
   * Messages that tell of an error.
   */
  errors: Int8 | null;
  /**
   * Messages that views of users leave out.
   */
  hidden: Int8 | null;
  /**
   * Messages.
   */
  messages: Int8 | null;
  /**
   * Model as reported; null where no model wrote the message.
   */
  model_id: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * user, assistant, tool or system; null where a list of messages does not say it.
   */
  role: string | null;
  /**
   * Sessions with such a message. Not additive over days, models or roles: a session is counted in each.
   */
  sessions: Int8 | null;
  /**
   * UTC day on which the messages were made; null where the platform does not say.
   */
  usage_date: string | null;
}

export interface BiSessions {
  /**
   * Messages of the assistant.
   */
  assistant_messages: Int8 | null;
  /**
   * Unicode code points of all texts in the messages, whether the texts are kept or not.
   */
  characters: Int8 | null;
  /**
   * Seconds from the first to the last message. Not additive where sessions ran at the same time.
   */
  duration_seconds: number | null;
  /**
   * When a hook told of its end; null where none did.
   */
  ended_at: Timestamp | null;
  /**
   * Messages that tell of an error.
   */
  errors: Int8 | null;
  /**
   * Since when it is not read any more; null while it is.
   */
  finished_at: Timestamp | null;
  /**
   * When its first message was made; null where none is loaded.
   */
  first_message_at: Timestamp | null;
  /**
   * Results of hooks whose exit code is not 0.
   */
  hook_failures: Int8 | null;
  /**
   * When its last message was made; null where none is loaded.
   */
  last_message_at: Timestamp | null;
  /**
   * Messages of any role, also those whose role is not said.
   */
  messages: Int8 | null;
  /**
   * Models that wrote messages, in order of their names; empty where none is reported.
   */
  models: string[] | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * When the session was first wanted.
   */
  registered_at: Timestamp | null;
  /**
   * Id of the session.
   */
  session_id: string | null;
  /**
   * Messages of the system.
   */
  system_messages: Int8 | null;
  /**
   * Messages of tools.
   */
  tool_messages: Int8 | null;
  /**
   * Messages of the user.
   */
  user_messages: Int8 | null;
}

export interface BiSkillUsage {
  /**
   * Invocations. Unit: invocations. Additive.
   */
  invocations: Int8 | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Skill name as reported.
   */
  skill_name: string | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiSlashCommandUsage {
  /**
   * Slash command as reported.
   */
  command_name: string | null;
  /**
   * Invocations. Unit: invocations. Additive.
   */
  invocations: Int8 | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiTeamOverview {
  /**
   * Distinct users with an active day (/users). Unit: users. Not additive over days: the same user counts each time.
   */
  active_users: Numeric | null;
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Credits / active users; null without active users. Unit: credits per user. Not additive over days: an average.
   */
  credits_per_active_user: number | null;
  /**
   * Git commits. Unit: commits. Additive.
   */
  git_commits: Numeric | null;
  /**
   * Pull requests created. Unit: pull requests. Additive.
   */
  git_prs_created: Numeric | null;
  /**
   * First day of the month.
   */
  month_start: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Sessions. Unit: sessions. Additive.
   */
  sessions: Numeric | null;
  /**
   * Team of the day; unassigned: without a team; unattributed: credits that no user accounts for.
   */
  team: string | null;
}

export interface BiToolUsage {
  /**
   * Invocations. Unit: invocations. Additive.
   */
  invocations: Int8 | null;
  /**
   * Whether the name is malformed, a parsing artifact of the platform.
   */
  is_parsing_artifact: boolean | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Part of the figure of the organization on the day; less than 1 over all rows where the platform leaves a remainder. Unit: share, 0 to 1. Not additive over days: divide the sums instead.
   */
  share_of_day: number | null;
  /**
   * Tool name as reported.
   */
  tool_name: string | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface BiUserActivity {
  /**
   * Messages of assistants. Unit: messages. Additive.
   */
  assistant_messages: Int8 | null;
  /**
   * Tool calls per user turn. Unit: calls per turn. Not additive over days: an average.
   */
  autonomy_ratio: number | null;
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Delegation level of the user; null when not reported.
   */
  delegation_level: string | null;
  /**
   * Files created. Unit: files. Additive.
   */
  files_created: Int8 | null;
  /**
   * Files edited. Unit: files. Additive.
   */
  files_edited: Int8 | null;
  /**
   * Git commits. Unit: commits. Additive.
   */
  git_commits: Int8 | null;
  /**
   * Pull requests created. Unit: pull requests. Additive.
   */
  git_prs_created: Int8 | null;
  /**
   * Hook invocations. Unit: invocations. Additive.
   */
  hooks: Int8 | null;
  /**
   * Whether any count of the row is above 0: an active day of the user.
   */
  is_active: boolean | null;
  /**
   * Calls of MCP tools. Unit: calls. Additive.
   */
  mcp_calls: Int8 | null;
  /**
   * Messages of users and assistants. Unit: messages. Additive.
   */
  messages: Int8 | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Model that the user used most on the day; null when not reported.
   */
  primary_model: string | null;
  /**
   * Tier of that model.
   */
  primary_model_tier: string | null;
  /**
   * Sessions. Unit: sessions. Additive.
   */
  sessions: Int8 | null;
  /**
   * Skill invocations. Unit: invocations. Additive.
   */
  skill_calls: Int8 | null;
  /**
   * Slash command invocations. Unit: invocations. Additive.
   */
  slash_commands: Int8 | null;
  /**
   * Tool calls. Unit: calls. Additive.
   */
  tool_calls: Int8 | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
  /**
   * User id as the platform reports it, its own pseudonym: join lists by org_id and user_id.
   */
  user_id: string | null;
  /**
   * First letter and domain of the e-mail, the user id where there is none. Not unique.
   */
  user_label: string | null;
  /**
   * Messages of users. Unit: messages. Additive.
   */
  user_messages: Int8 | null;
}

export interface BiUserCohorts {
  /**
   * Distinct users with an active day (/users). Unit: users. Not additive over days: the same user counts each time.
   */
  active_users: Int8 | null;
  /**
   * Month of the first active day ever of the users.
   */
  cohort_month: string | null;
  /**
   * Months from the cohort month on; 0: that month itself.
   */
  months_since: number | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Active users / users of the cohort. Unit: share, 0 to 1. Not additive over days: divide the sums instead.
   */
  retention: number | null;
  /**
   * Users who began in the cohort month. Unit: users. Not additive over days: additive over cohorts, not over months_since.
   */
  users: Int8 | null;
}

export interface BiUserLanguages {
  /**
   * Programming language as reported.
   */
  language: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
  /**
   * User id as the platform reports it, its own pseudonym: join lists by org_id and user_id.
   */
  user_id: string | null;
  /**
   * First letter and domain of the e-mail, the user id where there is none. Not unique.
   */
  user_label: string | null;
}

export interface BiUsers {
  /**
   * Active days of the 28 that end with as_of_day. Unit: days. Not additive over days: of one day only.
   */
  active_days_28: Int8 | null;
  /**
   * Active days of the 7 that end with as_of_day. Unit: days. Not additive over days: of one day only.
   */
  active_days_7: Int8 | null;
  /**
   * Active days of the 90 that end with as_of_day. Unit: days. Not additive over days: of one day only.
   */
  active_days_90: Int8 | null;
  /**
   * Latest UTC day that /users holds for the organization; null when none is.
   */
  as_of_day: string | null;
  /**
   * Credits, as /tokens charges them, 0 if none, in the 28 days that end with as_of_day. Unit: credits. Not additive over days: of one day only; additive over users.
   */
  credits_28d: Numeric | null;
  /**
   * Primary model of most active days of the 90; of several the one used last.
   */
  favourite_model: string | null;
  /**
   * First active day ever; null: never active.
   */
  first_active_day: string | null;
  /**
   * Git commits in the 28 days that end with as_of_day. Unit: commits. Not additive over days: of one day only; additive over users.
   */
  git_commits_28d: Numeric | null;
  /**
   * Pull requests created in the 28 days that end with as_of_day. Unit: pull requests. Not additive over days: of one day only; additive over users.
   */
  git_prs_created_28d: Numeric | null;
  /**
   * Last active day; null: never active.
   */
  last_active_day: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Delegation level of most active days of the 90; of several the one used last.
   */
  preferred_autonomy: string | null;
  /**
   * Sessions in the 28 days that end with as_of_day. Unit: sessions. Not additive over days: of one day only; additive over users.
   */
  sessions_28d: Numeric | null;
  /**
   * The first that fits: never (no active day), gone (none in 90 days), dormant (none in 28), new (first one within 28), active. Everyone is new in an organization's first 28 days.
   */
  status: string | null;
  /**
   * Team of today (UTC), or unassigned.
   */
  team: string | null;
  /**
   * User id as the platform reports it, its own pseudonym: join lists by org_id and user_id.
   */
  user_id: string | null;
  /**
   * First letter and domain of the e-mail, the user id where there is none. Not unique.
   */
  user_label: string | null;
}

export interface BiWeeklyOverview {
  /**
   * Distinct users with an active day (/users). Unit: users. Not additive over days: the same user counts each time.
   */
  active_users: Int8 | null;
  /**
   * Standard Credits consumed. Unit: credits. Additive.
   */
  credits: Numeric | null;
  /**
   * Git commits. Unit: commits. Additive.
   */
  git_commits: Numeric | null;
  /**
   * Pull requests created. Unit: pull requests. Additive.
   */
  git_prs_created: Numeric | null;
  /**
   * Whether all five endpoints hold every day of the period.
   */
  is_complete: boolean | null;
  /**
   * ISO 8601 week, 1 to 53.
   */
  iso_week: number | null;
  /**
   * ISO 8601 year of the week.
   */
  iso_year: number | null;
  /**
   * Users whose first active day ever lies in the period. Unit: users. Additive: additive over periods of one length; everyone is new in the first 28 days.
   */
  new_users: Int8 | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization key, the same in every view of this warehouse.
   */
  org_key: number | null;
  /**
   * Active users who are not new. Unit: users. Not additive over days: the same user counts each time.
   */
  returning_users: Int8 | null;
  /**
   * Sessions. Unit: sessions. Additive.
   */
  sessions: Numeric | null;
  /**
   * Users active in the period before, and not in this one. Unit: users. Not additive over days: the same user counts each time.
   */
  stopped_users: Int8 | null;
  /**
   * Tool calls. Unit: calls. Additive.
   */
  tool_calls: Numeric | null;
  /**
   * Monday of the ISO week.
   */
  week_start: string | null;
}

export interface EtlAskedRange {
  /**
   * Endpoint that was asked for.
   */
  endpoint: string;
  /**
   * Earliest UTC day that any backfill asked for. What nightly fills and status calls a gap starts here.
   */
  first_day: string;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
}

export interface EtlCheckResult {
  /**
   * Sum of the parts, in the same unit; in an ok row the number of comparisons that agree.
   */
  actual: Numeric | null;
  /**
   * Name of the comparison.
   */
  check_name: string;
  /**
   * Surrogate key.
   */
  check_result_id: Generated<Int8>;
  /**
   * When it was compared.
   */
  checked_at: Generated<Timestamp>;
  /**
   * What was compared, in words.
   */
  detail: string | null;
  /**
   * Endpoint compared; null when it is between endpoints.
   */
  endpoint: string | null;
  /**
   * The whole, in the unit of the measure compared; in an ok row the number of comparisons.
   */
  expected: Numeric | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number | null;
  /**
   * Run that compared, see etl.run; null once that row is gone.
   */
  run_id: Int8 | null;
  /**
   * UTC day compared; null when it is over days.
   */
  usage_date: string | null;
  /**
   * ok (equal), remainder (the parts leave some of the whole unattributed) or contradiction (both cannot be right).
   */
  verdict: string;
}

export interface EtlCreditLimitChange {
  /**
   * When the outcome was recorded; null while it is unknown.
   */
  answered_at: Timestamp | null;
  /**
   * Run that recorded the outcome, see etl.run; another than run_id where that one ended without an answer.
   */
  answered_in_run_id: Int8 | null;
  /**
   * Surrogate key, ascending by attempt.
   */
  change_id: Generated<Int8>;
  /**
   * Limit that the platform confirmed, in Standard Credits; null where the user has none of their own. Means something only where outcome is updated.
   */
  confirmed_limit: Int8 | null;
  /**
   * Why the limit was not set, in the platform's words where it gave some; null unless outcome is error.
   */
  error: string | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * updated (the platform confirmed a limit, see confirmed_limit), error (it did not, see error) or unknown (no answer is known: the next run sends it again).
   */
  outcome: Generated<string>;
  /**
   * When the attempt was recorded, just before it was first sent.
   */
  requested_at: Generated<Timestamp>;
  /**
   * Limit that was asked for, in Standard Credits; null to remove it.
   */
  requested_limit: Int8 | null;
  /**
   * Run that asked first, see etl.run, which may have been removed since.
   */
  run_id: Int8;
  /**
   * Whose limit, as it stood in the file.
   */
  user_email: string;
}

export interface EtlDrift {
  /**
   * Endpoint that reported it.
   */
  endpoint: string;
  /**
   * One value seen there, shortened.
   */
  example: string | null;
  /**
   * When it was first seen.
   */
  first_seen_at: Generated<Timestamp>;
  /**
   * What is unexpected: unknown_field, missing_field, duplicate_key, replaced_character and others.
   */
  kind: string;
  /**
   * When it was last seen.
   */
  last_seen_at: Generated<Timestamp>;
  /**
   * Times seen, over all runs.
   */
  occurrences: Generated<Int8>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Where in the payload; list positions are left out.
   */
  path: string;
  /**
   * Digest of path, see warehouse.natural_key_digest.
   */
  path_digest: Generated<Buffer>;
  /**
   * Run that last saw it, see etl.run; null once that row is gone.
   */
  run_id: Int8 | null;
}

export interface EtlForgottenIn {
  /**
   * When the search was finished.
   */
  finished_at: Generated<Timestamp>;
  /**
   * How many rows etl.forgotten_name had then; with more by now, the next run searches again before it loads.
   */
  names: Int8;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
}

export interface EtlForgottenKey {
  /**
   * Always true: there is one key.
   */
  is_only: Generated<boolean>;
  /**
   * Key of the digests in etl.forgotten_name and of the pseudonyms, random. Another one would make new persons of those who are forgotten.
   */
  key: Buffer;
}

export interface EtlForgottenName {
  /**
   * HMAC-SHA-256 of the name under etl.forgotten_key.
   */
  digest: Buffer;
  /**
   * When the name came to be known as that of a forgotten person.
   */
  forgotten_at: Generated<Timestamp>;
  /**
   * user_id, or email (in lower case, of any user of any organization).
   */
  kind: string;
}

export interface EtlHeldDay {
  /**
   * Endpoint: tokens, tools, activity, productivity or users.
   */
  endpoint: string | null;
  /**
   * Organization, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface EtlKeptText {
  /**
   * Endpoint that reports the texts.
   */
  endpoint: string;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
}

export interface EtlLatestUsers {
  /**
   * Latest UTC day that /users holds.
   */
  as_of_day: string | null;
  /**
   * Organization, see warehouse.dim_org.
   */
  org_key: number | null;
}

export interface EtlLockNumber {
  /**
   * When the number was drawn.
   */
  drawn_at: Generated<Timestamp>;
  /**
   * Second half of the advisory lock. Drawn at random; drawn anew when another role holds it.
   */
  lock_number: number;
  /**
   * 'schema', or 'organization' and its org_key.
   */
  subject: string;
}

export interface EtlMissingDay {
  /**
   * Endpoint: tokens, tools, activity, productivity or users.
   */
  endpoint: string | null;
  /**
   * Why the day failed; null otherwise.
   */
  error: string | null;
  /**
   * Organization, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * not_read, pending or failed.
   */
  reason: string | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface EtlPeopleDigest {
  /**
   * Rows of warehouse.person_assignment.
   */
  assignments: Int8 | null;
  /**
   * Whether assignments and the users of then are those that etl.summed_people was made of.
   */
  is_as_summed: boolean | null;
  /**
   * The last user of the organization.
   */
  last_user_key: number | null;
  /**
   * Organization, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * Digest of all assignments to teams and of all users.
   */
  people: Numeric | null;
}

export interface EtlRawSlice {
  /**
   * Position of the chunk within the slice, from 0.
   */
  chunk: number;
  /**
   * Endpoint that sent the rows.
   */
  endpoint: string;
  /**
   * When the chunk was fetched.
   */
  fetched_at: Generated<Timestamp>;
  /**
   * Whether persons who are forgotten were taken out, so that the records are not byte for byte what the platform sent.
   */
  is_rewritten: Generated<boolean>;
  /**
   * Whether the payload may hold e-mail addresses; false where they were withheld (USER_EMAIL=none).
   */
  may_hold_emails: Generated<boolean>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * JSON array of the rows, compressed with zstd.
   */
  payload: Buffer;
  /**
   * Bytes of the JSON array before compression.
   */
  raw_bytes: Int8;
  /**
   * Rows in the chunk.
   */
  row_count: number;
  /**
   * Run that fetched the chunk, see etl.run; null once that row is gone.
   */
  run_id: Int8 | null;
  /**
   * Slice that the rows belong to, see etl.slice.
   */
  slice_key: string;
  /**
   * UTC day of the slice; null for an endpoint that is not daily.
   */
  usage_date: string | null;
}

export interface EtlRejectedRow {
  /**
   * Endpoint that reported the row.
   */
  endpoint: string;
  /**
   * Organization, see dim_org.
   */
  org_key: number | null;
  /**
   * Where in the row the fault is; null when it is the row as a whole.
   */
  path: string | null;
  /**
   * The row as reported.
   */
  payload: Json | null;
  /**
   * What was expected and what came.
   */
  reason: string;
  /**
   * When the row was rejected.
   */
  rejected_at: Generated<Timestamp>;
  /**
   * Surrogate key.
   */
  rejected_row_id: Generated<Int8>;
  /**
   * Run that rejected the row, see etl.run; null once that row is gone.
   */
  run_id: Int8 | null;
  /**
   * Slice that the row belongs to, see etl.slice; null when that cannot be told.
   */
  slice_key: string | null;
  /**
   * UTC day of the row; null when it has none that can be read.
   */
  usage_date: string | null;
}

export interface EtlRequestWindow {
  /**
   * Endpoint that refused.
   */
  endpoint: string;
  /**
   * When it was learned.
   */
  learned_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Widest window, in days per request, that was accepted after the refusal.
   */
  window_days: number;
}

export interface EtlRun {
  /**
   * Version of the program.
   */
  app_version: string | null;
  /**
   * Arguments and settings of the run, without secrets.
   */
  arguments: Generated<Json>;
  /**
   * Why the run failed or is partial; null otherwise.
   */
  error: string | null;
  /**
   * When the run ended; null while it runs, and for ever when it was killed.
   */
  finished_at: Timestamp | null;
  /**
   * Name of the job, as on the command line.
   */
  job: string;
  /**
   * Second half of the advisory lock that the run holds while it lives, drawn at random; null for runs of earlier versions.
   */
  lock_number: number | null;
  /**
   * Organization of the run, see dim_org; null until the platform has answered.
   */
  org_key: number | null;
  /**
   * HTTP requests sent, retries included.
   */
  requests: Generated<Int8>;
  /**
   * Requests that were sent again after a failure.
   */
  retries: Generated<Int8>;
  /**
   * Fact and bridge rows deleted because the platform no longer reports them.
   */
  rows_deleted: Generated<Int8>;
  /**
   * Fact and bridge rows inserted.
   */
  rows_inserted: Generated<Int8>;
  /**
   * Rows read from the platform.
   */
  rows_read: Generated<Int8>;
  /**
   * Rows that could not be loaded, see etl.rejected_row.
   */
  rows_rejected: Generated<Int8>;
  /**
   * Fact rows whose values changed.
   */
  rows_updated: Generated<Int8>;
  /**
   * Surrogate key of the run, ascending by start.
   */
  run_id: Generated<Int8>;
  /**
   * When the run started.
   */
  started_at: Generated<Timestamp>;
  /**
   * running, succeeded, partial (some slice failed, the rest is loaded) or failed.
   */
  status: string;
  /**
   * Message that was delivered to the webhook about the night of the run, named by the date in arguments; null when none was.
   */
  told: string | null;
}

export interface EtlSession {
  /**
   * When a hook last told of its end; null where none did.
   */
  ended_at: Timestamp | null;
  /**
   * Since when it is not read any more: it was read whole after its end, or brought nothing new for LOOKBACK_DAYS days. Null again when a hook tells of a later end.
   */
  finished_at: Timestamp | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * When it was first wanted.
   */
  registered_at: Generated<Timestamp>;
  /**
   * Id of the session; the key of its slice in etl.slice.
   */
  session_id: string;
  /**
   * Digest of session_id, see warehouse.natural_key_digest.
   */
  session_id_digest: Generated<Buffer>;
}

export interface EtlSlice {
  /**
   * Runs that got an answer without rows, since the last one that had some; see etl.run.
   */
  answered_empty_by: Generated<ArrayType<Int8>>;
  /**
   * Times that the slice was tried.
   */
  attempts: Generated<number>;
  /**
   * Digest of the rows stored; equal rows are not written again.
   */
  content_hash: Buffer | null;
  /**
   * Endpoint, such as tokens or users.
   */
  endpoint: string;
  /**
   * Why the slice failed; null unless its status is failed.
   */
  error: string | null;
  /**
   * When the platform last answered for the slice.
   */
  fetched_at: Timestamp | null;
  /**
   * Why the last reading of a loaded slice failed or was refused; null after a success.
   */
  last_error: string | null;
  /**
   * When the last reading of a loaded slice failed or was refused; null after a success. nightly reads the slice again.
   */
  last_failed_at: Timestamp | null;
  /**
   * When the stored rows last changed.
   */
  loaded_at: Timestamp | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Chunks of the slice in etl.raw_slice; null when nothing of it is archived. An archive with another number is not whole.
   */
  raw_chunks: number | null;
  /**
   * Records of the platform in these chunks; null when nothing of the slice is archived.
   */
  raw_rows: Int8 | null;
  /**
   * Rows of the slice that could not be loaded, see etl.rejected_row.
   */
  rejected_count: Generated<Int8>;
  /**
   * Rows stored in the main table of the endpoint, flagged ones included.
   */
  row_count: Generated<Int8>;
  /**
   * Run that last worked on the slice, see etl.run; null once that row is gone.
   */
  run_id: Int8 | null;
  /**
   * What the slice replaces: the day as YYYY-MM-DD, the id of a parent, or all.
   */
  slice_key: string;
  /**
   * Digest of the exact answer that the slice was loaded from; an equal answer needs no work at all.
   */
  source_hash: Buffer | null;
  /**
   * loaded (its rows are held, also when a later reading failed), empty (the platform answered and has nothing), pending (answered without rows and not believed, asked again later) or failed (nothing is held and the last try failed).
   */
  status: string;
  /**
   * Rows stored per table, for example {"fact_tool_daily": 1}.
   */
  table_rows: Generated<Json>;
  /**
   * UTC day of the slice, the day of its reading for a snapshot; null where slices are no days.
   */
  usage_date: string | null;
}

export interface EtlSummableDay {
  /**
   * Whether etl.summed_credits has the day as it is now.
   */
  is_summed: boolean | null;
  /**
   * When the stored rows of the day last changed.
   */
  loaded_at: Timestamp | null;
  /**
   * Organization, see warehouse.dim_org.
   */
  org_key: number | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface EtlSummedCredits {
  /**
   * Cost center that pays; null when not given.
   */
  cost_center: string | null;
  /**
   * Standard Credits that these users consumed with the model.
   */
  credits: Numeric | null;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * Model, see warehouse.dim_model.
   */
  model_key: number;
  /**
   * Organization, see warehouse.dim_org.
   */
  org_key: number;
  /**
   * Team of the users on the day; null: none.
   */
  team: string | null;
  /**
   * UTC day.
   */
  usage_date: string;
}

export interface EtlSummedDay {
  /**
   * When the rows of the day had changed last, as etl.slice said then: with another time there, the sums are not looked at.
   */
  loaded_at: Timestamp;
  /**
   * Organization, see warehouse.dim_org.
   */
  org_key: number;
  /**
   * UTC day.
   */
  usage_date: string;
}

export interface EtlSummedPeople {
  /**
   * The last user of the organization then. Whoever came later is in no sum.
   */
  last_user_key: number;
  /**
   * Organization, see warehouse.dim_org.
   */
  org_key: number;
  /**
   * Digest of these users and of all assignments to teams, see etl.people_digest.
   */
  people: Numeric;
}

export interface EtlTableEndpoint {
  /**
   * Endpoint that feeds it.
   */
  endpoint: string | null;
  /**
   * Whether the slices of the endpoint are UTC days.
   */
  is_daily: boolean | null;
  /**
   * Table in the schema warehouse.
   */
  table_name: string | null;
}

export interface EtlViewFingerprint {
  /**
   * When the views in the file were last created or replaced.
   */
  applied_at: Generated<Timestamp>;
  /**
   * File name in sql/views.
   */
  file_name: string;
  /**
   * SHA-256 of the file; while it is the same, the views in it are left alone.
   */
  fingerprint: string;
}

export interface WarehouseAssignedTeam {
  /**
   * Cost center that pays; null when not given.
   */
  cost_center: string | null;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number | null;
  /**
   * Team of the user.
   */
  team: string | null;
  /**
   * Number of team, department and cost center together, within one query.
   */
  team_number: number | null;
  /**
   * User, see dim_user.
   */
  user_key: number | null;
  /**
   * First UTC day of the period.
   */
  valid_from: string | null;
  /**
   * Last UTC day of the period, included; infinity while it is open.
   */
  valid_to: string | null;
}

export interface WarehouseBridgeComputerRepositoryDaily {
  /**
   * See dim_computer.
   */
  computer_key: number;
  /**
   * Path of the directory on the computer.
   */
  directory: string;
  /**
   * Digest of directory, see warehouse.natural_key_digest.
   */
  directory_digest: Generated<Buffer>;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day on which the row was read, see dim_date.
   */
  snapshot_date: string;
}

export interface WarehouseBridgeUserLanguageDaily {
  /**
   * Programming language, see dim_language.
   */
  language_key: number;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
  /**
   * User, see dim_user.
   */
  user_key: number;
}

export interface WarehouseCreditLimit {
  /**
   * When the platform first confirmed this limit.
   */
  changed_at: Generated<Timestamp>;
  /**
   * The user's own limit in Standard Credits; null where there is none, so that only that of the organization applies.
   */
  limit_credits: Int8 | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Whose limit, as it stood in the last file; letters in another case are the same person.
   */
  user_email: string;
  /**
   * Digest of user_email, see warehouse.natural_key_digest.
   */
  user_email_digest: Generated<Buffer>;
}

export interface WarehouseCreditPrice {
  /**
   * Currency, three capital letters (ISO 4217).
   */
  currency: string;
  /**
   * Model id, see dim_model.
   */
  model_id: string;
  /**
   * Tier, see dim_model; * for every tier that has no price of its own.
   */
  model_tier: string;
  /**
   * Digest of model_id and model_tier, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Price of 1,000,000 Standard Credits, in the currency.
   */
  price_per_million_credits: Numeric;
  /**
   * First UTC day of the price.
   */
  valid_from: string;
}

export interface WarehouseDimAutonomyLevel {
  /**
   * Surrogate key; not stable across databases.
   */
  autonomy_level_key: Generated<number>;
  /**
   * Order of the documented levels, a higher number leaves more to the agent: 5 auto-high to 1 manual. Spec is 2: it confirms one plan, manual confirms each action. Null for levels not documented.
   */
  autonomy_rank: number | null;
  /**
   * What the level means; null for levels that the platform does not document.
   */
  description: string | null;
  /**
   * Level as the platform writes it for users (auto-high; auto_high of tools is the same row), or as reported when unknown; the natural key.
   */
  level_code: string;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
}

export interface WarehouseDimClient {
  /**
   * Surrogate key; not stable across databases.
   */
  client_key: Generated<number>;
  /**
   * Client type exactly as reported; the natural key.
   */
  client_type: string;
  /**
   * What the client is; null for types that the platform does not document.
   */
  description: string | null;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
}

export interface WarehouseDimComputer {
  /**
   * Id as the platform reports it; the natural key within the organization.
   */
  computer_id: string;
  /**
   * Surrogate key.
   */
  computer_key: Generated<number>;
  /**
   * Name, which may change. Not unique.
   */
  computer_name: string | null;
  /**
   * When it was created.
   */
  created_at: Timestamp | null;
  /**
   * Digest of computer_id, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Organization of the computer, see dim_org.
   */
  org_key: number;
  /**
   * Id of its owner, as reported. May be a user.
   */
  owner_id: string | null;
  /**
   * Kind of its owner, as reported.
   */
  owner_principal_kind: string | null;
  /**
   * Who runs it: byom (a machine of the organization), or a provider as reported.
   */
  provider_type: string | null;
  /**
   * UTC day of the snapshot that the attributes are of, so that an older one loaded later does not replace them.
   */
  seen_date: string | null;
  /**
   * Endpoint that reported them.
   */
  seen_endpoint: string | null;
  /**
   * Kind of what it was made from, such as template; null when not reported.
   */
  source_kind: string | null;
  /**
   * Template that it was made from; null when not reported.
   */
  template_id: string | null;
}

export interface WarehouseDimDate {
  /**
   * The day; the key itself.
   */
  date_day: string;
  /**
   * English name of the weekday.
   */
  day_name: Generated<string>;
  /**
   * Day of the month, 1 to 31.
   */
  day_of_month: Generated<number>;
  /**
   * Day of the ISO week: 1 is Monday, 7 is Sunday.
   */
  day_of_week: Generated<number>;
  /**
   * Whether the day is a Saturday or Sunday.
   */
  is_weekend: Generated<boolean>;
  /**
   * ISO 8601 week, 1 to 53.
   */
  iso_week: Generated<number>;
  /**
   * ISO 8601 year, the one that iso_week belongs to.
   */
  iso_year: Generated<number>;
  /**
   * Month of the year, 1 to 12.
   */
  month: Generated<number>;
  /**
   * English name of the month.
   */
  month_name: Generated<string>;
  /**
   * First day of the month of the day.
   */
  month_start: Generated<string>;
  /**
   * Quarter of the calendar year, 1 to 4.
   */
  quarter: Generated<number>;
  /**
   * Monday of the week of the day.
   */
  week_start: Generated<string>;
  /**
   * Calendar year.
   */
  year: Generated<number>;
}

export interface WarehouseDimFileExtension {
  /**
   * Extension exactly as reported; the natural key.
   */
  extension: string;
  /**
   * Surrogate key; not stable across databases.
   */
  file_extension_key: Generated<number>;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
}

export interface WarehouseDimHook {
  /**
   * Shell command as reported, empty when absent, of any length; part of the natural key. May contain secrets of its author.
   */
  command: string;
  /**
   * The command as BI shows it: at most 200 characters, with … in the place of what looks like an e-mail, a key or a token. Not unique.
   */
  command_shown: Generated<string>;
  /**
   * Hook event as reported, empty when absent; part of the natural key.
   */
  event: string;
  /**
   * Surrogate key; not stable across databases.
   */
  hook_key: Generated<number>;
  /**
   * What the hook matches, as reported, empty when absent; part of the natural key.
   */
  matcher: string;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
}

export interface WarehouseDimLanguage {
  /**
   * Surrogate key; not stable across databases.
   */
  language_key: Generated<number>;
  /**
   * Language name exactly as reported; the natural key.
   */
  language_name: string;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
}

export interface WarehouseDimMcpServer {
  /**
   * Trimmed lower case of server_name: group by it to count a server once. Not unique.
   */
  canonical_name: Generated<string>;
  /**
   * Surrogate key; not stable across databases.
   */
  mcp_server_key: Generated<number>;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Server name exactly as reported; the natural key. The same server may occur in several spellings.
   */
  server_name: string;
}

export interface WarehouseDimModel {
  /**
   * Model id as reported; part of the natural key.
   */
  model_id: string;
  /**
   * Surrogate key; not stable across databases.
   */
  model_key: Generated<number>;
  /**
   * Tier as reported (standard, thinking), unknown where the platform gives none; part of the natural key.
   */
  model_tier: string;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
}

export interface WarehouseDimOrg {
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Organization id as the platform reports it; the natural key.
   */
  org_id: string;
  /**
   * Surrogate key; not stable across databases.
   */
  org_key: Generated<number>;
}

export interface WarehouseDimReadinessCriterion {
  /**
   * Id of the criterion exactly as reported; the natural key.
   */
  criterion_id: string;
  /**
   * Digest of criterion_id, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Surrogate key.
   */
  readiness_criterion_key: Generated<number>;
}

export interface WarehouseDimRepository {
  /**
   * Host in the address, in lower case; null where it has none.
   */
  host: Generated<string | null>;
  /**
   * Last part of the path, without .git; null where the address has no path.
   */
  name: Generated<string | null>;
  /**
   * Digest of repo_url, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * What stands before the name in the path: an owner, or groups with slashes between them; null where there is none.
   */
  owner: Generated<string | null>;
  /**
   * Address exactly as reported; the natural key. One repository may have several.
   */
  repo_url: string;
  /**
   * Surrogate key.
   */
  repository_key: Generated<number>;
}

export interface WarehouseDimSkill {
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Surrogate key; not stable across databases.
   */
  skill_key: Generated<number>;
  /**
   * Skill name exactly as reported; the natural key.
   */
  skill_name: string;
}

export interface WarehouseDimSlashCommand {
  /**
   * Command name exactly as reported; the natural key.
   */
  command_name: string;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Surrogate key; not stable across databases.
   */
  slash_command_key: Generated<number>;
}

export interface WarehouseDimTool {
  /**
   * Whether the name is malformed: over 200 characters, no letter or digit, space at an end, control characters, quotes, brackets or other code punctuation. About 0.006 percent of names are.
   */
  is_parsing_artifact: Generated<boolean>;
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Surrogate key; not stable across databases.
   */
  tool_key: Generated<number>;
  /**
   * Tool name exactly as reported; the natural key.
   */
  tool_name: string;
}

export interface WarehouseDimUser {
  /**
   * Digest of the natural key that uniqueness rests on, see warehouse.natural_key_digest.
   */
  natural_key_digest: Generated<Buffer>;
  /**
   * Organization of the user, see dim_org.
   */
  org_key: number;
  /**
   * E-mail of the latest usage date that has one; null when unknown. Personal data.
   */
  user_email: string | null;
  /**
   * Usage date that user_email was reported for, so that an older day loaded later does not replace it.
   */
  user_email_date: string | null;
  /**
   * Endpoint that reported user_email.
   */
  user_email_endpoint: string | null;
  /**
   * User id as the platform reports it; the natural key within the organization.
   */
  user_id: string;
  /**
   * Surrogate key; not stable across databases.
   */
  user_key: Generated<number>;
  /**
   * The user as BI shows one: first letter and domain of the e-mail, the user id where there is no e-mail. Not unique.
   */
  user_label: Generated<string>;
}

export interface WarehouseFactActivityClientDaily {
  /**
   * Client type, see dim_client.
   */
  client_key: number;
  /**
   * Unique users active on the client. Not additive over days, nor over clients: a user of several clients counts in each.
   */
  daily_active_users: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactActivityDaily {
  /**
   * Unique users active on the day. Not additive over days: the same user counts each day.
   */
  daily_active_users: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Messages of users and assistants.
   */
  messages: Int8 | null;
  /**
   * Unique users active in the 30 days that end with the day. Not additive over days: the windows overlap.
   */
  monthly_active_users: Int8 | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Sessions.
   */
  sessions: Int8 | null;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
  /**
   * Messages of users.
   */
  user_messages: Int8 | null;
  /**
   * Unique users active in the 7 days that end with the day. Not additive over days: the windows overlap.
   */
  weekly_active_users: Int8 | null;
}

export interface WarehouseFactAutonomyLevelDaily {
  /**
   * Autonomy level, see dim_autonomy_level.
   */
  autonomy_level_key: number;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Share of the tool calls of the day made at the level, as reported (0 to 1). Not additive over days: a share.
   */
  share: number | null;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactComputerDaily {
  /**
   * See dim_computer.
   */
  computer_key: number;
  /**
   * Host that it is on; null when not reported.
   */
  host_id: string | null;
  /**
   * Name of that host; null when not reported.
   */
  hostname: string | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * User on the computer; null when not reported.
   */
  remote_user: string | null;
  /**
   * Directories with cloned repositories; null when not reported. Not additive over days: a count of that day.
   */
  repository_count: Int8 | null;
  /**
   * UTC day on which the row was read, see dim_date.
   */
  snapshot_date: string;
  /**
   * provisioning, active, error, or as reported; null when not reported.
   */
  status: string | null;
}

export interface WarehouseFactComputerStepDaily {
  /**
   * When the step ended; null when not reported.
   */
  completed_at: Timestamp | null;
  /**
   * See dim_computer.
   */
  computer_key: number;
  /**
   * Why the step failed; null when not reported.
   */
  error: string | null;
  /**
   * Session that installed dependencies; null when not reported.
   */
  install_session_id: string | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day on which the row was read, see dim_date.
   */
  snapshot_date: string;
  /**
   * When the step began; null when not reported.
   */
  started_at: Timestamp | null;
  /**
   * Status as reported; the platform documents no values.
   */
  status: string | null;
  /**
   * Id of the step.
   */
  step_id: string;
  /**
   * Digest of step_id, see warehouse.natural_key_digest.
   */
  step_id_digest: Generated<Buffer>;
  /**
   * Name of the step.
   */
  step_name: string | null;
}

export interface WarehouseFactFileExtensionDaily {
  /**
   * File extension, see dim_file_extension.
   */
  file_extension_key: number;
  /**
   * File operations on files with the extension.
   */
  file_operations: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactHookDaily {
  /**
   * Hook, see dim_hook.
   */
  hook_key: number;
  /**
   * Invocations of the hook.
   */
  invocations: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactLanguageDaily {
  /**
   * File operations on files of the language.
   */
  file_operations: Int8 | null;
  /**
   * Programming language, see dim_language.
   */
  language_key: number;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactMcpServerDaily {
  /**
   * Invocations of tools of the server.
   */
  invocations: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * MCP server as spelled, see dim_mcp_server.
   */
  mcp_server_key: number;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactProductivityDaily {
  /**
   * Files created.
   */
  files_created: Int8 | null;
  /**
   * Files edited.
   */
  files_edited: Int8 | null;
  /**
   * Git commits.
   */
  git_commits: Int8 | null;
  /**
   * Pull requests created.
   */
  git_prs_created: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactReadinessApp {
  /**
   * Path of the application in the repository.
   */
  app_path: string;
  /**
   * Digest of app_path, see warehouse.natural_key_digest.
   */
  app_path_digest: Generated<Buffer>;
  /**
   * What the application is, in words of the model that evaluated.
   */
  description: string | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Id of the report, see fact_readiness_report.
   */
  report_id: string;
}

export interface WarehouseFactReadinessCriterion {
  /**
   * Applications of the repository that were evaluated. Not additive over the reports of a repository: each evaluates all of it.
   */
  denominator: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Applications of the repository that pass the criterion. Not additive over the reports of a repository: each evaluates all of it.
   */
  numerator: Int8 | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Why, in words of the model that evaluated.
   */
  rationale: string | null;
  /**
   * See dim_readiness_criterion.
   */
  readiness_criterion_key: number;
  /**
   * Id of the report, see fact_readiness_report.
   */
  report_id: string;
}

export interface WarehouseFactReadinessReport {
  /**
   * Branch that was evaluated; null when not reported.
   */
  branch: string | null;
  /**
   * Version of the client that made the report (droidVersion of the payload); null when not reported.
   */
  client_version: string | null;
  /**
   * Commit that was evaluated; null when not reported.
   */
  commit_hash: string | null;
  /**
   * When the report was made.
   */
  created_at: Timestamp | null;
  /**
   * Whether there were changes that were not committed; null when not reported.
   */
  has_local_changes: boolean | null;
  /**
   * Whether there were commits that were not pushed; null when not reported.
   */
  has_non_remote_commits: boolean | null;
  /**
   * Whether the platform still lists the report.
   */
  is_listed: Generated<boolean>;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Model that evaluated, as reported; null when not reported.
   */
  model_id: string | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Reasoning effort of the model: low, medium, high or off; null when not reported.
   */
  reasoning_effort: string | null;
  /**
   * Id of the report.
   */
  report_id: string;
  /**
   * See dim_repository.
   */
  repository_key: number | null;
}

export interface WarehouseFactSessionContentBlock {
  /**
   * Place of the block in the content, from 0.
   */
  block_index: number;
  /**
   * Type of the block, such as text.
   */
  block_type: string | null;
  /**
   * Unicode code points of the text of the block; null where it has none.
   */
  char_count: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Id of the message, see fact_session_message.
   */
  message_id: string;
  /**
   * Digest of message_id, see warehouse.natural_key_digest.
   */
  message_id_digest: Generated<Buffer>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Id of the session.
   */
  session_id: string;
  /**
   * Digest of session_id, see warehouse.natural_key_digest.
   */
  session_id_digest: Generated<Buffer>;
}

export interface WarehouseFactSessionHookResult {
  /**
   * Command of the hook; null unless SESSION_TEXT=keep.
   */
  command: string | null;
  /**
   * What the command ended with; null while it has not. Not additive: a code.
   */
  exit_code: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Id of the message, see fact_session_message.
   */
  message_id: string;
  /**
   * Digest of message_id, see warehouse.natural_key_digest.
   */
  message_id_digest: Generated<Buffer>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Place in the lists of commands and results, from 0.
   */
  result_index: number;
  /**
   * Id of the session.
   */
  session_id: string;
  /**
   * Digest of session_id, see warehouse.natural_key_digest.
   */
  session_id_digest: Generated<Buffer>;
  /**
   * Unicode code points that the command wrote to standard error.
   */
  stderr_char_count: Int8 | null;
  /**
   * Unicode code points that the command wrote to standard output.
   */
  stdout_char_count: Int8 | null;
  /**
   * Whether the output was to be hidden.
   */
  suppress_output: boolean | null;
  /**
   * How long the command may take, in seconds. Not additive: a setting.
   */
  timeout_seconds: number | null;
}

export interface WarehouseFactSessionMessage {
  /**
   * Blocks of content, see fact_session_content_block.
   */
  content_block_count: Int8 | null;
  /**
   * Unicode code points of all texts in the content, also where the texts are not kept.
   */
  content_char_count: Int8 | null;
  /**
   * Texts of the content, a line break between blocks; null unless SESSION_TEXT=keep.
   */
  content_text: string | null;
  /**
   * When the message was made.
   */
  created_at: Timestamp | null;
  /**
   * Whether views of users leave the message out.
   */
  hidden_from_user_views: boolean | null;
  /**
   * Event of the hook that the message tells of, such as PostToolUse; null where it tells of none.
   */
  hook_event_name: string | null;
  /**
   * When the hook ended.
   */
  hook_finished_at: Timestamp | null;
  /**
   * What the hook was configured for, such as names of tools.
   */
  hook_matcher: string | null;
  /**
   * When the hook started.
   */
  hook_started_at: Timestamp | null;
  /**
   * executing, completed or error.
   */
  hook_status: string | null;
  /**
   * Whether the message tells of an error.
   */
  is_error: boolean | null;
  /**
   * Whether the message belongs to work that was done in parallel.
   */
  is_parallel_execution: boolean | null;
  /**
   * Whether the user sees the message.
   */
  is_user_visible: boolean | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Id of the message.
   */
  message_id: string;
  /**
   * Digest of message_id, see warehouse.natural_key_digest.
   */
  message_id_digest: Generated<Buffer>;
  /**
   * See dim_model.
   */
  model_key: number | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * What was done in parallel together.
   */
  parallel_group_id: string | null;
  /**
   * Id of the message that it follows.
   */
  parent_id: string | null;
  /**
   * Effort that the model was to make, such as low or high.
   */
  reasoning_effort: string | null;
  /**
   * user, assistant, tool or system; null where a list of messages does not say it.
   */
  role: string | null;
  /**
   * Id of the session.
   */
  session_id: string;
  /**
   * Digest of session_id, see warehouse.natural_key_digest.
   */
  session_id_digest: Generated<Buffer>;
  /**
   * When the message last changed.
   */
  updated_at: Timestamp | null;
  /**
   * Where a message of a user came from, such as web or cli_tui.
   */
  user_message_source: string | null;
  /**
   * both, llm_only or user_only.
   */
  visibility: string | null;
}

export interface WarehouseFactSkillDaily {
  /**
   * Invocations of the skill.
   */
  invocations: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Skill, see dim_skill.
   */
  skill_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactSlashCommandDaily {
  /**
   * Invocations of the command.
   */
  invocations: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Slash command, see dim_slash_command.
   */
  slash_command_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactTokenDaily {
  /**
   * Standard Credits consumed, after cache discounts.
   */
  billable_tokens: Numeric | null;
  /**
   * Tokens read from the prompt cache.
   */
  cache_read_tokens: Int8 | null;
  /**
   * Tokens written to the prompt cache.
   */
  cache_write_tokens: Int8 | null;
  /**
   * Raw input tokens.
   */
  input_tokens: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Raw output tokens.
   */
  output_tokens: Int8 | null;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactTokenModelDaily {
  /**
   * Standard Credits consumed with the model.
   */
  billable_tokens: Numeric | null;
  /**
   * Raw input tokens of the model.
   */
  input_tokens: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Model and tier, see dim_model.
   */
  model_key: number;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Raw output tokens of the model.
   */
  output_tokens: Int8 | null;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactTokenUserDaily {
  /**
   * Standard Credits consumed by the user, as /tokens reports them.
   */
  billable_tokens: Numeric | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
  /**
   * User, see dim_user.
   */
  user_key: number;
}

export interface WarehouseFactTokenUserModelDaily {
  /**
   * Standard Credits consumed by the user with the model.
   */
  billable_tokens: Numeric | null;
  /**
   * Raw input tokens of the user with the model.
   */
  input_tokens: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Model and tier, see dim_model.
   */
  model_key: number;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Raw output tokens of the user with the model.
   */
  output_tokens: Int8 | null;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
  /**
   * User, see dim_user.
   */
  user_key: number;
}

export interface WarehouseFactToolDaily {
  /**
   * Tool calls per user turn, mean. Not additive over days: an average.
   */
  autonomy_ratio_avg: number | null;
  /**
   * Tool calls per user turn, median. Not additive over days: a percentile.
   */
  autonomy_ratio_p50: number | null;
  /**
   * Tool calls per user turn, 90th percentile. Not additive over days: a percentile.
   */
  autonomy_ratio_p90: number | null;
  /**
   * Hook invocations.
   */
  hooks_invocations: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Users who used MCP servers. Not additive over days: the same user counts each day.
   */
  mcp_users_with_mcp: Int8 | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Skill invocations.
   */
  skills_invocations: Int8 | null;
  /**
   * Slash command invocations.
   */
  slash_commands_invocations: Int8 | null;
  /**
   * Tool calls.
   */
  tool_calls: Int8 | null;
  /**
   * Tool calls per session, mean. Not additive over days: an average.
   */
  tool_calls_per_session_avg: number | null;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
  /**
   * User turns per session, mean. Not additive over days: an average.
   */
  user_turns_per_session_avg: number | null;
  /**
   * Users of the web application. Not additive over days: the same user counts each day.
   */
  web_users: Int8 | null;
}

export interface WarehouseFactToolUsageDaily {
  /**
   * Invocations of the tool.
   */
  invocations: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Tool, see dim_tool.
   */
  tool_key: number;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
}

export interface WarehouseFactUserDaily {
  /**
   * Messages of the assistant.
   */
  assistant_messages: Int8 | null;
  /**
   * Tool calls per user turn. Not additive over days or users: an average.
   */
  autonomy_ratio: number | null;
  /**
   * Standard Credits consumed by the user, as /users reports them.
   */
  billable_tokens: Numeric | null;
  /**
   * Delegation level of the user, see dim_autonomy_level; null when not reported.
   */
  delegation_level_key: number | null;
  /**
   * Files created.
   */
  files_created: Int8 | null;
  /**
   * Files edited.
   */
  files_edited: Int8 | null;
  /**
   * Git commits.
   */
  git_commits: Int8 | null;
  /**
   * Pull requests created.
   */
  git_prs_created: Int8 | null;
  /**
   * Hook invocations.
   */
  hooks: Int8 | null;
  /**
   * When the values of the row last changed; a load that finds them equal leaves it alone.
   */
  loaded_at: Generated<Timestamp>;
  /**
   * Calls of MCP tools.
   */
  mcp_calls: Int8 | null;
  /**
   * Messages of the user and the assistant.
   */
  messages: Int8 | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Model that the user used most, see dim_model; null when not reported.
   */
  primary_model_key: number | null;
  /**
   * Sessions.
   */
  sessions: Int8 | null;
  /**
   * Skill invocations.
   */
  skill_calls: Int8 | null;
  /**
   * Slash command invocations.
   */
  slash_commands: Int8 | null;
  /**
   * Tool calls.
   */
  tool_calls: Int8 | null;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string;
  /**
   * User, see dim_user.
   */
  user_key: number;
  /**
   * Messages of the user.
   */
  user_messages: Int8 | null;
}

export interface WarehouseMemberHistory {
  /**
   * UTC days on which the team of the user changed, ascending.
   */
  first_days: string[] | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number | null;
  /**
   * Team from each of these days on, see warehouse.assigned_team; null: none.
   */
  team_numbers: number[] | null;
  /**
   * User, see dim_user.
   */
  user_key: number | null;
}

export interface WarehousePersonAssignment {
  /**
   * Cost center that pays; null when not given.
   */
  cost_center: string | null;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Digest of how the person is named, see warehouse.natural_key_digest.
   */
  person_digest: Generated<Buffer>;
  /**
   * Team of the person.
   */
  team: string;
  /**
   * The person by e-mail, in any case of letters: whoever has it in dim_user, for all days. A user who is named by user id, too, is not looked up by it. Personal data.
   */
  user_email: string | null;
  /**
   * The person by user id, see dim_user; null where the person is named by e-mail.
   */
  user_id: string | null;
  /**
   * First UTC day of the period.
   */
  valid_from: string;
  /**
   * Last UTC day of the period, included; null while it is open.
   */
  valid_to: string | null;
}

export interface WarehouseTeamConsumption {
  /**
   * Cost center that pays; null when not given.
   */
  cost_center: string | null;
  /**
   * Standard Credits.
   */
  credits: Numeric | null;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * Whether the row is one of etl.summed_credits; else it was made of facts just now.
   */
  is_summed: boolean | null;
  /**
   * Model, see dim_model.
   */
  model_key: number | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number | null;
  /**
   * Team of the users on the day; null: none.
   */
  team: string | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface WarehouseTeamCredits {
  /**
   * What the credits cost; null without a price.
   */
  cost: Numeric | null;
  /**
   * Cost center that pays; null when not given.
   */
  cost_center: string | null;
  /**
   * Standard Credits.
   */
  credits: Numeric | null;
  /**
   * Currency of the cost; null without a price.
   */
  currency: string | null;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * Model id as reported.
   */
  model_id: string | null;
  /**
   * Tier as reported, or unknown.
   */
  model_tier: string | null;
  /**
   * Organization id.
   */
  org_id: string | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number | null;
  /**
   * Team of the users on the day; unassigned where they had none; unattributed for what no user accounts for.
   */
  team: string | null;
  /**
   * Credits without a price: all or 0.
   */
  unpriced_credits: Numeric | null;
  /**
   * UTC day.
   */
  usage_date: string | null;
}

export interface WarehouseUserDay {
  /**
   * Messages of the assistant.
   */
  assistant_messages: Int8 | null;
  /**
   * Tool calls per user turn. Not additive over days or users: an average.
   */
  autonomy_ratio: number | null;
  /**
   * Standard Credits consumed by the user, as /users reports them.
   */
  billable_tokens: Numeric | null;
  /**
   * Delegation level of the user, see dim_autonomy_level; null when not reported.
   */
  delegation_level_key: number | null;
  /**
   * Files created.
   */
  files_created: Int8 | null;
  /**
   * Files edited.
   */
  files_edited: Int8 | null;
  /**
   * Git commits.
   */
  git_commits: Int8 | null;
  /**
   * Pull requests created.
   */
  git_prs_created: Int8 | null;
  /**
   * Hook invocations.
   */
  hooks: Int8 | null;
  /**
   * Whether any count of the row is above 0.
   */
  is_active: boolean | null;
  /**
   * Calls of MCP tools.
   */
  mcp_calls: Int8 | null;
  /**
   * Messages of the user and the assistant.
   */
  messages: Int8 | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number | null;
  /**
   * Model that the user used most, see dim_model; null when not reported.
   */
  primary_model_key: number | null;
  /**
   * Sessions.
   */
  sessions: Int8 | null;
  /**
   * Skill invocations.
   */
  skill_calls: Int8 | null;
  /**
   * Slash command invocations.
   */
  slash_commands: Int8 | null;
  /**
   * Tool calls.
   */
  tool_calls: Int8 | null;
  /**
   * UTC day that the row is about, see dim_date.
   */
  usage_date: string | null;
  /**
   * User, see dim_user.
   */
  user_key: number | null;
  /**
   * Messages of the user.
   */
  user_messages: Int8 | null;
}

export interface DB {
  "bi_people.credit_limits": BiPeopleCreditLimits;
  "bi_people.users": BiPeopleUsers;
  "bi.adoption_by_client": BiAdoptionByClient;
  "bi.autonomy_levels": BiAutonomyLevels;
  "bi.calendar": BiCalendar;
  "bi.computer_status": BiComputerStatus;
  "bi.cost_by_month": BiCostByMonth;
  "bi.credits_by_model": BiCreditsByModel;
  "bi.credits_by_team": BiCreditsByTeam;
  "bi.credits_by_user": BiCreditsByUser;
  "bi.credits_by_user_and_model": BiCreditsByUserAndModel;
  "bi.daily_overview": BiDailyOverview;
  "bi.data_freshness": BiDataFreshness;
  "bi.data_gaps": BiDataGaps;
  "bi.hook_usage": BiHookUsage;
  "bi.mcp_server_usage": BiMcpServerUsage;
  "bi.monthly_overview": BiMonthlyOverview;
  "bi.productivity_by_extension": BiProductivityByExtension;
  "bi.productivity_by_language": BiProductivityByLanguage;
  "bi.readiness_by_criterion": BiReadinessByCriterion;
  "bi.readiness_by_repository": BiReadinessByRepository;
  "bi.session_hooks": BiSessionHooks;
  "bi.session_messages_by_day": BiSessionMessagesByDay;
  "bi.sessions": BiSessions;
  "bi.skill_usage": BiSkillUsage;
  "bi.slash_command_usage": BiSlashCommandUsage;
  "bi.team_overview": BiTeamOverview;
  "bi.tool_usage": BiToolUsage;
  "bi.user_activity": BiUserActivity;
  "bi.user_cohorts": BiUserCohorts;
  "bi.user_languages": BiUserLanguages;
  "bi.users": BiUsers;
  "bi.weekly_overview": BiWeeklyOverview;
  "etl.asked_range": EtlAskedRange;
  "etl.check_result": EtlCheckResult;
  "etl.credit_limit_change": EtlCreditLimitChange;
  "etl.drift": EtlDrift;
  "etl.forgotten_in": EtlForgottenIn;
  "etl.forgotten_key": EtlForgottenKey;
  "etl.forgotten_name": EtlForgottenName;
  "etl.held_day": EtlHeldDay;
  "etl.kept_text": EtlKeptText;
  "etl.latest_users": EtlLatestUsers;
  "etl.lock_number": EtlLockNumber;
  "etl.missing_day": EtlMissingDay;
  "etl.people_digest": EtlPeopleDigest;
  "etl.raw_slice": EtlRawSlice;
  "etl.rejected_row": EtlRejectedRow;
  "etl.request_window": EtlRequestWindow;
  "etl.run": EtlRun;
  "etl.session": EtlSession;
  "etl.slice": EtlSlice;
  "etl.summable_day": EtlSummableDay;
  "etl.summed_credits": EtlSummedCredits;
  "etl.summed_day": EtlSummedDay;
  "etl.summed_people": EtlSummedPeople;
  "etl.table_endpoint": EtlTableEndpoint;
  "etl.view_fingerprint": EtlViewFingerprint;
  "warehouse.assigned_team": WarehouseAssignedTeam;
  "warehouse.bridge_computer_repository_daily": WarehouseBridgeComputerRepositoryDaily;
  "warehouse.bridge_user_language_daily": WarehouseBridgeUserLanguageDaily;
  "warehouse.credit_limit": WarehouseCreditLimit;
  "warehouse.credit_price": WarehouseCreditPrice;
  "warehouse.dim_autonomy_level": WarehouseDimAutonomyLevel;
  "warehouse.dim_client": WarehouseDimClient;
  "warehouse.dim_computer": WarehouseDimComputer;
  "warehouse.dim_date": WarehouseDimDate;
  "warehouse.dim_file_extension": WarehouseDimFileExtension;
  "warehouse.dim_hook": WarehouseDimHook;
  "warehouse.dim_language": WarehouseDimLanguage;
  "warehouse.dim_mcp_server": WarehouseDimMcpServer;
  "warehouse.dim_model": WarehouseDimModel;
  "warehouse.dim_org": WarehouseDimOrg;
  "warehouse.dim_readiness_criterion": WarehouseDimReadinessCriterion;
  "warehouse.dim_repository": WarehouseDimRepository;
  "warehouse.dim_skill": WarehouseDimSkill;
  "warehouse.dim_slash_command": WarehouseDimSlashCommand;
  "warehouse.dim_tool": WarehouseDimTool;
  "warehouse.dim_user": WarehouseDimUser;
  "warehouse.fact_activity_client_daily": WarehouseFactActivityClientDaily;
  "warehouse.fact_activity_daily": WarehouseFactActivityDaily;
  "warehouse.fact_autonomy_level_daily": WarehouseFactAutonomyLevelDaily;
  "warehouse.fact_computer_daily": WarehouseFactComputerDaily;
  "warehouse.fact_computer_step_daily": WarehouseFactComputerStepDaily;
  "warehouse.fact_file_extension_daily": WarehouseFactFileExtensionDaily;
  "warehouse.fact_hook_daily": WarehouseFactHookDaily;
  "warehouse.fact_language_daily": WarehouseFactLanguageDaily;
  "warehouse.fact_mcp_server_daily": WarehouseFactMcpServerDaily;
  "warehouse.fact_productivity_daily": WarehouseFactProductivityDaily;
  "warehouse.fact_readiness_app": WarehouseFactReadinessApp;
  "warehouse.fact_readiness_criterion": WarehouseFactReadinessCriterion;
  "warehouse.fact_readiness_report": WarehouseFactReadinessReport;
  "warehouse.fact_session_content_block": WarehouseFactSessionContentBlock;
  "warehouse.fact_session_hook_result": WarehouseFactSessionHookResult;
  "warehouse.fact_session_message": WarehouseFactSessionMessage;
  "warehouse.fact_skill_daily": WarehouseFactSkillDaily;
  "warehouse.fact_slash_command_daily": WarehouseFactSlashCommandDaily;
  "warehouse.fact_token_daily": WarehouseFactTokenDaily;
  "warehouse.fact_token_model_daily": WarehouseFactTokenModelDaily;
  "warehouse.fact_token_user_daily": WarehouseFactTokenUserDaily;
  "warehouse.fact_token_user_model_daily": WarehouseFactTokenUserModelDaily;
  "warehouse.fact_tool_daily": WarehouseFactToolDaily;
  "warehouse.fact_tool_usage_daily": WarehouseFactToolUsageDaily;
  "warehouse.fact_user_daily": WarehouseFactUserDaily;
  "warehouse.member_history": WarehouseMemberHistory;
  "warehouse.person_assignment": WarehousePersonAssignment;
  "warehouse.team_consumption": WarehouseTeamConsumption;
  "warehouse.team_credits": WarehouseTeamCredits;
  "warehouse.user_day": WarehouseUserDay;
}
