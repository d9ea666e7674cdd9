/**
 * Types of the relations that code names, for Kysely. Generated from the migrated schema by `npm run types`: do not edit.
 * Run it after every change in sql/migrations or sql/views, and where code names another relation.
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
   * User id as the platform reports it. May be personal data.
   */
  reported_user_id: string | null;
  /**
   * Team of today (UTC), or unassigned.
   */
  team: string | null;
  /**
   * E-mail of the user; null when unknown. Personal data.
   */
  user_email: string | null;
  /**
   * User id as the platform reports it, its own pseudonym, or … and a number where that looks like an e-mail: join lists by org_id and user_id.
   */
  user_id: string | null;
}

export interface EtlAddressKey {
  /**
   * Always true: there is one key.
   */
  is_only: Generated<boolean>;
  /**
   * Random key. With another key a user whose id is an address would become a new user.
   */
  key: Buffer;
}

export interface EtlAskedRange {
  /**
   * Endpoint that was asked for.
   */
  endpoint: string;
  /**
   * Earliest UTC day that any backfill asked for. From this day on nightly fills gaps, and status shows them.
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
   * Endpoint compared; null if several endpoints are compared.
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
   * UTC day compared; null if several days are compared.
   */
  usage_date: string | null;
  /**
   * ok (equal), remainder (the parts leave some of the whole unattributed) or contradiction (both cannot be right).
   */
  verdict: string;
}

export interface EtlCredential {
  /**
   * When the first answer came.
   */
  bound_at: Generated<Timestamp>;
  /**
   * SHA-256 of the address and the key.
   */
  credential_digest: Buffer;
  /**
   * Organization id in the first answer, exactly as reported.
   */
  org_id: string;
}

export interface EtlCreditLimitChange {
  /**
   * When the outcome was recorded; null while it is unknown.
   */
  answered_at: Timestamp | null;
  /**
   * Run that recorded the outcome, see etl.run. It differs from run_id if that run ended without an answer.
   */
  answered_in_run_id: Int8 | null;
  /**
   * Surrogate key, ascending by attempt.
   */
  change_id: Generated<Int8>;
  /**
   * Limit that the platform confirmed, in Standard Credits; null if the user has no own limit. Only valid if outcome is updated.
   */
  confirmed_limit: Int8 | null;
  /**
   * Why the limit was not set, in the words of the platform if it gave a reason; null unless outcome is error.
   */
  error: string | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * updated (the platform confirmed a limit, see confirmed_limit), error (it did not, see error) or unknown (there is no answer yet; the next run sends the request again).
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
   * Run that sent the first request, see etl.run; its row may have been removed.
   */
  run_id: Int8;
  /**
   * E-mail of the user, as written in the file.
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
   * Kind of drift: unknown_field, missing_field, duplicate_key, replaced_character and others.
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
   * Path in the payload, without list positions.
   */
  path: string;
  /**
   * Digest of path, see warehouse.natural_key_digest.
   */
  path_digest: Generated<Buffer>;
  /**
   * Names the row, for logical replication. Nothing refers to it.
   */
  row_id: Generated<Int8>;
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
   * Number of rows of etl.forgotten_name at that time. If there are more now, the next run searches again before it loads.
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
   * Random key of the digests in etl.forgotten_name and of the pseudonyms. With another key forgotten persons would be loaded as new ones.
   */
  key: Buffer;
}

export interface EtlForgottenName {
  /**
   * HMAC-SHA-256 of the name under etl.forgotten_key.
   */
  digest: Buffer;
  /**
   * When the program learned the name.
   */
  forgotten_at: Generated<Timestamp>;
  /**
   * user_id: this user is forgotten. asked_email: every user with this e-mail is forgotten, also later ones. sole_email: nobody else ever had it; it is removed from all rows, also of later users. shared_email: others have it, too, and keep it. new_email: sole or shared, not known yet. E-mails are in lower case and count in every organization.
   */
  kind: string;
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

export interface EtlOrganization {
  /**
   * When the first answer came.
   */
  bound_at: Generated<Timestamp>;
  /**
   * Name in the file.
   */
  name: string;
  /**
   * Organization that the platform answered with, see dim_org.
   */
  org_key: number;
}

export interface EtlPeopleDigest {
  /**
   * Rows of warehouse.person_assignment.
   */
  assignments: Int8 | null;
  /**
   * Whether assignments and users are the same as when etl.summed_people was written; later users do not count.
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
   * Whether forgotten persons were removed from the payload. If so, it is not byte for byte what the platform sent.
   */
  is_rewritten: Generated<boolean>;
  /**
   * Whether the payload may contain e-mail addresses; false if they were removed (USER_EMAIL=none).
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
   * Path of the wrong value in the row; null if the row as a whole is wrong.
   */
  path: string | null;
  /**
   * The row as reported.
   */
  payload: Json | null;
  /**
   * The expected and the actual value.
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
   * Slice of the row, see etl.slice; null if it is not known.
   */
  slice_key: string | null;
  /**
   * UTC day of the row; null if it has no readable day.
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
   * Widest range that was accepted after the refusal, in days per request.
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
   * When the run ended; null while it runs, and forever if it was killed.
   */
  finished_at: Timestamp | null;
  /**
   * Name of the job, as on the command line.
   */
  job: string;
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
   * running, succeeded, partial (some slices failed, the others are loaded) or failed.
   */
  status: string;
  /**
   * Message about the night that was delivered to the webhook; the date of the night is in arguments. Null if none was delivered.
   */
  told: string | null;
}

export interface EtlSession {
  /**
   * When a hook last reported the end of the session; null if none did.
   */
  ended_at: Timestamp | null;
  /**
   * When the program stopped reading the session: it was read completely after its end, or had nothing new for LOOKBACK_DAYS days. Null again when a hook reports a later end.
   */
  finished_at: Timestamp | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * When the session was registered.
   */
  registered_at: Generated<Timestamp>;
  /**
   * Names the row, for logical replication. Nothing refers to it.
   */
  row_id: Generated<Int8>;
  /**
   * Id of the session; the key of its slice in etl.slice.
   */
  session_id: string;
  /**
   * Digest of session_id, see warehouse.natural_key_digest.
   */
  session_id_digest: Generated<Buffer>;
  /**
   * session_id as BI shows it, with … instead of anything that looks like an e-mail, a key, a password or a token. Not unique.
   */
  session_id_shown: Generated<string>;
}

export interface EtlSlice {
  /**
   * Runs that got an answer without rows since the last answer with rows, see etl.run.
   */
  answered_empty_by: Generated<ArrayType<Int8>>;
  /**
   * Number of tries.
   */
  attempts: Generated<number>;
  /**
   * Why an empty slice is believed: days (runs that began on three UTC days got an answer without rows), figures (another endpoint says that nobody was active) or endpoints (all of them answered without rows). Null for any other slice, and where an earlier version believed it.
   */
  believed_by: string | null;
  /**
   * Always null: rows that came again in another order are compared as they are loaded.
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
   * error as BI shows it, with … instead of anything that looks like an e-mail, a key, a password or a token. Not unique.
   */
  error_shown: Generated<string | null>;
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
   * Chunks of the slice in etl.raw_slice; null if it is not archived. An archive with another number of chunks is incomplete.
   */
  raw_chunks: number | null;
  /**
   * Records of the platform in these chunks; null if the slice is not archived.
   */
  raw_rows: Int8 | null;
  /**
   * When a message about a night named the refusal; null before that, and after a success.
   */
  refusal_told_at: Timestamp | null;
  /**
   * When an answer was last refused because it would have deleted too many rows; null after a success. A failed reading does not change it.
   */
  refused_at: Timestamp | null;
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
   * Key of the slice: the day as YYYY-MM-DD, the id of a parent, or all.
   */
  slice_key: string;
  /**
   * Digest of the exact answer from which the slice was loaded. An equal answer is not loaded again.
   */
  source_hash: Buffer | null;
  /**
   * loaded (its rows are stored, even if a later reading failed), empty (the platform has no rows, and this is believed), pending (answered without rows, not believed yet, asked again later) or failed (nothing is stored and the last try failed).
   */
  status: string;
  /**
   * Rows stored per table, for example {"fact_tool_daily": 1}.
   */
  table_rows: Generated<Json>;
  /**
   * UTC day of the slice; for a snapshot the day on which it was read; null if the slices of the endpoint are no days.
   */
  usage_date: string | null;
}

export interface EtlSummedPeople {
  /**
   * Highest user_key of the organization at that time. Later users are in no sum.
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

export interface WarehouseCreditLimit {
  /**
   * When the platform first confirmed this limit.
   */
  changed_at: Generated<Timestamp>;
  /**
   * Own limit of the user in Standard Credits; null if there is none, so that only the limit of the organization applies.
   */
  limit_credits: Int8 | null;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Names the row, for logical replication. Nothing refers to it.
   */
  row_id: Generated<Int8>;
  /**
   * E-mail of the user, as written in the last file. Upper and lower case are the same person.
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
   * Tier, see dim_model; * stands for every tier without its own price.
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
   * Names the row, for logical replication. Nothing refers to it.
   */
  row_id: Generated<Int8>;
  /**
   * First UTC day of the price.
   */
  valid_from: string;
}

export interface WarehouseDimOrg {
  /**
   * Digest of the natural key, which makes it unique, see warehouse.natural_key_digest.
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

export interface WarehousePersonAssignment {
  /**
   * Cost center; null when not given.
   */
  cost_center: string | null;
  /**
   * cost_center as BI shows it, with … instead of anything that looks like an e-mail, a key, a password or a token. Not unique.
   */
  cost_center_shown: Generated<string | null>;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * department as BI shows it, with … instead of anything that looks like an e-mail, a key, a password or a token. Not unique.
   */
  department_shown: Generated<string | null>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Digest of the user id or e-mail, see warehouse.natural_key_digest.
   */
  person_digest: Generated<Buffer>;
  /**
   * Names the row, for logical replication. Nothing refers to it.
   */
  row_id: Generated<Int8>;
  /**
   * Team of the person.
   */
  team: string;
  /**
   * team as BI shows it, with … instead of anything that looks like an e-mail, a key, a password or a token. Not unique.
   */
  team_shown: Generated<string>;
  /**
   * E-mail of the person, in upper or lower case: it means the users with this e-mail in dim_user, for all days. Assignments by user id come first: a user who has one is not looked up by e-mail. Personal data.
   */
  user_email: string | null;
  /**
   * User id of the person, see dim_user; null if the person is named by e-mail.
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

export interface DB {
  "bi_people.users": BiPeopleUsers;
  "etl.address_key": EtlAddressKey;
  "etl.asked_range": EtlAskedRange;
  "etl.check_result": EtlCheckResult;
  "etl.credential": EtlCredential;
  "etl.credit_limit_change": EtlCreditLimitChange;
  "etl.drift": EtlDrift;
  "etl.forgotten_in": EtlForgottenIn;
  "etl.forgotten_key": EtlForgottenKey;
  "etl.forgotten_name": EtlForgottenName;
  "etl.kept_text": EtlKeptText;
  "etl.organization": EtlOrganization;
  "etl.people_digest": EtlPeopleDigest;
  "etl.raw_slice": EtlRawSlice;
  "etl.rejected_row": EtlRejectedRow;
  "etl.request_window": EtlRequestWindow;
  "etl.run": EtlRun;
  "etl.session": EtlSession;
  "etl.slice": EtlSlice;
  "etl.summed_people": EtlSummedPeople;
  "warehouse.credit_limit": WarehouseCreditLimit;
  "warehouse.credit_price": WarehouseCreditPrice;
  "warehouse.dim_org": WarehouseDimOrg;
  "warehouse.person_assignment": WarehousePersonAssignment;
}
