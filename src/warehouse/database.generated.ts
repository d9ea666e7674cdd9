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
  client_type: string | null;
  daily_active_users: Int8 | null;
  description: string | null;
  org_id: string | null;
  org_key: number | null;
  share_of_active_users: number | null;
  usage_date: string | null;
}

export interface BiAutonomyLevels {
  autonomy_level: string | null;
  autonomy_rank: number | null;
  description: string | null;
  org_id: string | null;
  org_key: number | null;
  share: number | null;
  usage_date: string | null;
}

export interface BiCalendar {
  date_day: string | null;
  day_name: string | null;
  day_of_month: number | null;
  day_of_week: number | null;
  is_weekend: boolean | null;
  iso_week: number | null;
  iso_year: number | null;
  month: number | null;
  month_name: string | null;
  month_start: string | null;
  quarter: number | null;
  week_start: string | null;
  year: number | null;
}

export interface BiCostByMonth {
  cost: Numeric | null;
  cost_center: string | null;
  credits: Numeric | null;
  currency: string | null;
  department: string | null;
  model_id: string | null;
  model_tier: string | null;
  month_start: string | null;
  org_id: string | null;
  org_key: number | null;
  team: string | null;
  unpriced_credits: Numeric | null;
}

export interface BiCreditsByModel {
  credits: Numeric | null;
  input_tokens: Int8 | null;
  model_id: string | null;
  model_tier: string | null;
  org_id: string | null;
  org_key: number | null;
  output_tokens: Int8 | null;
  share_of_day: number | null;
  usage_date: string | null;
}

export interface BiCreditsByTeam {
  active_users: Numeric | null;
  cost: Numeric | null;
  credits: Numeric | null;
  currency: string | null;
  org_id: string | null;
  org_key: number | null;
  team: string | null;
  unpriced_credits: Numeric | null;
  usage_date: string | null;
}

export interface BiCreditsByUser {
  credits: Numeric | null;
  org_id: string | null;
  org_key: number | null;
  share_of_day: number | null;
  usage_date: string | null;
  user_id: string | null;
  user_label: string | null;
}

export interface BiCreditsByUserAndModel {
  credits: Numeric | null;
  input_tokens: Int8 | null;
  model_id: string | null;
  model_tier: string | null;
  org_id: string | null;
  org_key: number | null;
  output_tokens: Int8 | null;
  usage_date: string | null;
  user_id: string | null;
  user_label: string | null;
}

export interface BiDailyOverview {
  autonomy_ratio_avg: number | null;
  autonomy_ratio_p50: number | null;
  autonomy_ratio_p90: number | null;
  cache_hit_ratio: number | null;
  cache_read_tokens: Int8 | null;
  cache_write_tokens: Int8 | null;
  credits: Numeric | null;
  credits_7d_avg: number | null;
  credits_per_active_user: number | null;
  daily_active_users: Int8 | null;
  daily_active_users_7d_avg: number | null;
  files_created: Int8 | null;
  files_edited: Int8 | null;
  git_commits: Int8 | null;
  git_commits_7d_avg: number | null;
  git_prs_created: Int8 | null;
  git_prs_created_7d_avg: number | null;
  hook_invocations: Int8 | null;
  input_tokens: Int8 | null;
  mcp_users: Int8 | null;
  messages: Int8 | null;
  monthly_active_users: Int8 | null;
  org_id: string | null;
  org_key: number | null;
  output_tokens: Int8 | null;
  sessions: Int8 | null;
  sessions_7d_avg: number | null;
  skill_invocations: Int8 | null;
  slash_command_invocations: Int8 | null;
  stickiness: number | null;
  tool_calls: Int8 | null;
  tool_calls_7d_avg: number | null;
  tool_calls_per_session_avg: number | null;
  usage_date: string | null;
  user_messages: Int8 | null;
  user_turns_per_session_avg: number | null;
  web_users: Int8 | null;
  weekly_active_users: Int8 | null;
}

export interface BiDataFreshness {
  days_behind: number | null;
  days_empty: Int8 | null;
  days_failed: Int8 | null;
  days_loaded: Int8 | null;
  days_missing: Int8 | null;
  days_pending: Int8 | null;
  endpoint: string | null;
  first_day: string | null;
  last_day: string | null;
  last_fetched_at: Timestamp | null;
  last_loaded_at: Timestamp | null;
  org_id: string | null;
  org_key: number | null;
  rows_rejected: Numeric | null;
}

export interface BiDataGaps {
  endpoint: string | null;
  error: string | null;
  org_id: string | null;
  org_key: number | null;
  reason: string | null;
  usage_date: string | null;
}

export interface BiHookUsage {
  command: string | null;
  event: string | null;
  invocations: Numeric | null;
  matcher: string | null;
  org_id: string | null;
  org_key: number | null;
  usage_date: string | null;
}

export interface BiMcpServerUsage {
  invocations: Numeric | null;
  org_id: string | null;
  org_key: number | null;
  server_name: string | null;
  spellings: Int8 | null;
  usage_date: string | null;
}

export interface BiMonthlyOverview {
  active_users: Int8 | null;
  credits: Numeric | null;
  git_commits: Numeric | null;
  git_prs_created: Numeric | null;
  is_complete: boolean | null;
  month_start: string | null;
  new_users: Int8 | null;
  org_id: string | null;
  org_key: number | null;
  returning_users: Int8 | null;
  run_rate_credits: number | null;
  sessions: Numeric | null;
  stopped_users: Int8 | null;
  tool_calls: Numeric | null;
}

export interface BiPeopleUsers {
  cost_center: string | null;
  department: string | null;
  org_id: string | null;
  org_key: number | null;
  team: string | null;
  user_email: string | null;
  user_id: string | null;
}

export interface BiProductivityByExtension {
  extension: string | null;
  file_operations: Int8 | null;
  org_id: string | null;
  org_key: number | null;
  usage_date: string | null;
}

export interface BiProductivityByLanguage {
  file_operations: Int8 | null;
  language: string | null;
  org_id: string | null;
  org_key: number | null;
  usage_date: string | null;
}

export interface BiSkillUsage {
  invocations: Int8 | null;
  org_id: string | null;
  org_key: number | null;
  skill_name: string | null;
  usage_date: string | null;
}

export interface BiSlashCommandUsage {
  command_name: string | null;
  invocations: Int8 | null;
  org_id: string | null;
  org_key: number | null;
  usage_date: string | null;
}

export interface BiTeamOverview {
  active_users: Numeric | null;
  credits: Numeric | null;
  credits_per_active_user: number | null;
  git_commits: Numeric | null;
  git_prs_created: Numeric | null;
  month_start: string | null;
  org_id: string | null;
  org_key: number | null;
  sessions: Numeric | null;
  team: string | null;
}

export interface BiToolUsage {
  invocations: Int8 | null;
  is_parsing_artifact: boolean | null;
  org_id: string | null;
  org_key: number | null;
  share_of_day: number | null;
  tool_name: string | null;
  usage_date: string | null;
}

export interface BiUserActivity {
  assistant_messages: Int8 | null;
  autonomy_ratio: number | null;
  credits: Numeric | null;
  delegation_level: string | null;
  files_created: Int8 | null;
  files_edited: Int8 | null;
  git_commits: Int8 | null;
  git_prs_created: Int8 | null;
  hooks: Int8 | null;
  is_active: boolean | null;
  mcp_calls: Int8 | null;
  messages: Int8 | null;
  org_id: string | null;
  org_key: number | null;
  primary_model: string | null;
  primary_model_tier: string | null;
  sessions: Int8 | null;
  skill_calls: Int8 | null;
  slash_commands: Int8 | null;
  tool_calls: Int8 | null;
  usage_date: string | null;
  user_id: string | null;
  user_label: string | null;
  user_messages: Int8 | null;
}

export interface BiUserCohorts {
  active_users: Int8 | null;
  cohort_month: string | null;
  months_since: number | null;
  org_id: string | null;
  org_key: number | null;
  retention: number | null;
  users: Int8 | null;
}

export interface BiUserLanguages {
  language: string | null;
  org_id: string | null;
  org_key: number | null;
  usage_date: string | null;
  user_id: string | null;
  user_label: string | null;
}

export interface BiUsers {
  active_days_28: Int8 | null;
  active_days_7: Int8 | null;
  active_days_90: Int8 | null;
  as_of_day: string | null;
  credits_28d: Numeric | null;
  favourite_model: string | null;
  first_active_day: string | null;
  git_commits_28d: Numeric | null;
  git_prs_created_28d: Numeric | null;
  last_active_day: string | null;
  org_id: string | null;
  org_key: number | null;
  preferred_autonomy: string | null;
  sessions_28d: Numeric | null;
  status: string | null;
  team: string | null;
  user_id: string | null;
  user_label: string | null;
}

export interface BiWeeklyOverview {
  active_users: Int8 | null;
  credits: Numeric | null;
  git_commits: Numeric | null;
  git_prs_created: Numeric | null;
  is_complete: boolean | null;
  iso_week: number | null;
  iso_year: number | null;
  new_users: Int8 | null;
  org_id: string | null;
  org_key: number | null;
  returning_users: Int8 | null;
  sessions: Numeric | null;
  stopped_users: Int8 | null;
  tool_calls: Numeric | null;
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
   * Run that compared, see etl.run.
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
   * Run that last saw it, see etl.run.
   */
  run_id: Int8 | null;
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
   * Run that fetched the chunk, see etl.run.
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
   * Run that rejected the row, see etl.run.
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
   * Run that last worked on the slice, see etl.run.
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
  "bi_people.users": BiPeopleUsers;
  "bi.adoption_by_client": BiAdoptionByClient;
  "bi.autonomy_levels": BiAutonomyLevels;
  "bi.calendar": BiCalendar;
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
  "etl.drift": EtlDrift;
  "etl.held_day": EtlHeldDay;
  "etl.latest_users": EtlLatestUsers;
  "etl.lock_number": EtlLockNumber;
  "etl.missing_day": EtlMissingDay;
  "etl.raw_slice": EtlRawSlice;
  "etl.rejected_row": EtlRejectedRow;
  "etl.request_window": EtlRequestWindow;
  "etl.run": EtlRun;
  "etl.slice": EtlSlice;
  "etl.table_endpoint": EtlTableEndpoint;
  "etl.view_fingerprint": EtlViewFingerprint;
  "warehouse.assigned_team": WarehouseAssignedTeam;
  "warehouse.bridge_user_language_daily": WarehouseBridgeUserLanguageDaily;
  "warehouse.credit_price": WarehouseCreditPrice;
  "warehouse.dim_autonomy_level": WarehouseDimAutonomyLevel;
  "warehouse.dim_client": WarehouseDimClient;
  "warehouse.dim_date": WarehouseDimDate;
  "warehouse.dim_file_extension": WarehouseDimFileExtension;
  "warehouse.dim_hook": WarehouseDimHook;
  "warehouse.dim_language": WarehouseDimLanguage;
  "warehouse.dim_mcp_server": WarehouseDimMcpServer;
  "warehouse.dim_model": WarehouseDimModel;
  "warehouse.dim_org": WarehouseDimOrg;
  "warehouse.dim_skill": WarehouseDimSkill;
  "warehouse.dim_slash_command": WarehouseDimSlashCommand;
  "warehouse.dim_tool": WarehouseDimTool;
  "warehouse.dim_user": WarehouseDimUser;
  "warehouse.fact_activity_client_daily": WarehouseFactActivityClientDaily;
  "warehouse.fact_activity_daily": WarehouseFactActivityDaily;
  "warehouse.fact_autonomy_level_daily": WarehouseFactAutonomyLevelDaily;
  "warehouse.fact_file_extension_daily": WarehouseFactFileExtensionDaily;
  "warehouse.fact_hook_daily": WarehouseFactHookDaily;
  "warehouse.fact_language_daily": WarehouseFactLanguageDaily;
  "warehouse.fact_mcp_server_daily": WarehouseFactMcpServerDaily;
  "warehouse.fact_productivity_daily": WarehouseFactProductivityDaily;
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
  "warehouse.team_credits": WarehouseTeamCredits;
  "warehouse.user_day": WarehouseUserDay;
}
