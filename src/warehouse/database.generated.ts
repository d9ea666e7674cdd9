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
   * Random. Another one would make new persons of those whose user id was an address.
   */
  key: Buffer;
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

export interface EtlCredential {
  /**
   * When that was.
   */
  bound_at: Generated<Timestamp>;
  /**
   * SHA-256 of the address and the key.
   */
  credential_digest: Buffer;
  /**
   * Organization that the first answer named, exactly as it did.
   */
  org_id: string;
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
   * user_id; asked_email: whoever has it is forgotten; sole_email: nobody else ever had it, and it is withheld from whoever has it later; shared_email: others have it, too, and keep it; new_email: not known yet which of the two; email: kept by an earlier version. E-mails in lower case, of any organization.
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
   * session_id as BI shows it: with … in the place of what looks like an e-mail, a key, a password or a token. Not unique.
   */
  session_id_shown: Generated<string>;
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
   * Why an empty slice is believed to be: days (runs that began on three UTC days were answered so), figures (another endpoint says that nobody was active) or endpoints (all of them answered without rows). Null of any other slice, and where an earlier version believed it.
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
   * error as BI shows it: with … in the place of what looks like an e-mail, a key, a password or a token. Not unique.
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
   * Chunks of the slice in etl.raw_slice; null when nothing of it is archived. An archive with another number is not whole.
   */
  raw_chunks: number | null;
  /**
   * Records of the platform in these chunks; null when nothing of the slice is archived.
   */
  raw_rows: Int8 | null;
  /**
   * When a message about a night named the refusal; null until then, and once a reading succeeded.
   */
  refusal_told_at: Timestamp | null;
  /**
   * When an answer was refused last because it would have shrunk what is held; null once a reading succeeded. A reading that fails in between leaves it.
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
   * Names the row, for logical replication. Nothing refers to it.
   */
  row_id: Generated<Int8>;
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

export interface WarehousePersonAssignment {
  /**
   * Cost center that pays; null when not given.
   */
  cost_center: string | null;
  /**
   * cost_center as BI shows it: with … in the place of what looks like an e-mail, a key, a password or a token. Not unique.
   */
  cost_center_shown: Generated<string | null>;
  /**
   * Department of the team; null when not given.
   */
  department: string | null;
  /**
   * department as BI shows it: with … in the place of what looks like an e-mail, a key, a password or a token. Not unique.
   */
  department_shown: Generated<string | null>;
  /**
   * Organization, see dim_org.
   */
  org_key: number;
  /**
   * Digest of how the person is named, see warehouse.natural_key_digest.
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
   * team as BI shows it: with … in the place of what looks like an e-mail, a key, a password or a token. Not unique.
   */
  team_shown: Generated<string>;
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
