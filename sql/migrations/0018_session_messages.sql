-- Messages of agent sessions, and the list of sessions whose messages are loaded.

create table warehouse.fact_session_message (
  org_key integer not null,
  session_id text not null,
  message_id text not null,
  role text,
  created_at timestamptz,
  updated_at timestamptz,
  parent_id text,
  user_message_source text,
  visibility text,
  model_key integer,
  reasoning_effort text,
  is_error boolean,
  is_user_visible boolean,
  hidden_from_user_views boolean,
  is_parallel_execution boolean,
  parallel_group_id text,
  hook_event_name text,
  hook_matcher text,
  hook_status text,
  hook_started_at timestamptz,
  hook_finished_at timestamptz,
  content_block_count bigint,
  content_char_count bigint,
  content_text text,
  loaded_at timestamptz not null default now(),
  role_shown text generated always as (warehouse.shown_text(role)) stored,
  hook_event_name_shown text generated always as (warehouse.shown_text(hook_event_name)) stored,
  hook_status_shown text generated always as (warehouse.shown_text(hook_status)) stored,
  -- ids may have any length, so the key has their digests
  session_id_digest bytea not null generated always as (warehouse.natural_key_digest(session_id)) stored,
  message_id_digest bytea not null generated always as (warehouse.natural_key_digest(message_id)) stored,
  primary key (org_key, session_id_digest, message_id_digest)
);

call etl.add_row_id('warehouse.fact_session_message');

comment on table warehouse.fact_session_message is 'One row per organization, session and message, of the sessions in etl.session.';
comment on column warehouse.fact_session_message.session_id is 'Id of the session.';
comment on column warehouse.fact_session_message.message_id is 'Id of the message.';
comment on column warehouse.fact_session_message.role is 'user, assistant, tool or system; null when not reported.';
comment on column warehouse.fact_session_message.created_at is 'When the message was made.';
comment on column warehouse.fact_session_message.updated_at is 'When the message last changed.';
comment on column warehouse.fact_session_message.parent_id is 'Id of the parent message, which it follows.';
comment on column warehouse.fact_session_message.user_message_source is 'Where a message of a user came from, such as web or cli_tui.';
comment on column warehouse.fact_session_message.visibility is 'both, llm_only or user_only.';
comment on column warehouse.fact_session_message.reasoning_effort is 'Reasoning effort of the model, such as low or high.';
comment on column warehouse.fact_session_message.is_error is 'Whether the message reports an error.';
comment on column warehouse.fact_session_message.is_user_visible is 'Whether the user sees the message.';
comment on column warehouse.fact_session_message.hidden_from_user_views is 'Whether the message is hidden from user views.';
comment on column warehouse.fact_session_message.is_parallel_execution is 'Whether the message belongs to work that was done in parallel.';
comment on column warehouse.fact_session_message.parallel_group_id is 'Id of the group of messages that were done in parallel.';
comment on column warehouse.fact_session_message.hook_event_name is 'Event of the hook that the message reports, such as PostToolUse; null if it reports none.';
comment on column warehouse.fact_session_message.hook_matcher is 'Matcher of the hook, such as tool names.';
comment on column warehouse.fact_session_message.hook_status is 'executing, completed or error.';
comment on column warehouse.fact_session_message.hook_started_at is 'When the hook started.';
comment on column warehouse.fact_session_message.hook_finished_at is 'When the hook ended.';
comment on column warehouse.fact_session_message.content_block_count is 'Blocks of content, see fact_session_content_block.';
comment on column warehouse.fact_session_message.content_char_count is 'Unicode code points of all texts in the content, even if the texts are not kept.';
comment on column warehouse.fact_session_message.content_text is 'Texts of the content, with a line break between blocks; null unless SESSION_TEXT=keep.';
call etl.describe_shared_columns('warehouse.fact_session_message');

create table warehouse.fact_session_content_block (
  org_key integer not null,
  session_id text not null,
  message_id text not null,
  block_index integer not null,
  block_type text,
  char_count bigint,
  loaded_at timestamptz not null default now(),
  session_id_digest bytea not null generated always as (warehouse.natural_key_digest(session_id)) stored,
  message_id_digest bytea not null generated always as (warehouse.natural_key_digest(message_id)) stored,
  primary key (org_key, session_id_digest, message_id_digest, block_index)
);

call etl.add_row_id('warehouse.fact_session_content_block');

comment on table warehouse.fact_session_content_block is 'One row per organization, session, message and block of its content.';
comment on column warehouse.fact_session_content_block.session_id is 'Id of the session.';
comment on column warehouse.fact_session_content_block.message_id is 'Id of the message, see fact_session_message.';
comment on column warehouse.fact_session_content_block.block_index is 'Place of the block in the content, from 0.';
comment on column warehouse.fact_session_content_block.block_type is 'Type of the block, such as text.';
comment on column warehouse.fact_session_content_block.char_count is 'Unicode code points of the text of the block; null if it has no text.';
call etl.describe_shared_columns('warehouse.fact_session_content_block');

create table warehouse.fact_session_hook_result (
  org_key integer not null,
  session_id text not null,
  message_id text not null,
  result_index integer not null,
  command text,
  timeout_seconds double precision,
  exit_code bigint,
  stdout_char_count bigint,
  stderr_char_count bigint,
  suppress_output boolean,
  loaded_at timestamptz not null default now(),
  session_id_digest bytea not null generated always as (warehouse.natural_key_digest(session_id)) stored,
  message_id_digest bytea not null generated always as (warehouse.natural_key_digest(message_id)) stored,
  primary key (org_key, session_id_digest, message_id_digest, result_index)
);

call etl.add_row_id('warehouse.fact_session_hook_result');

comment on table warehouse.fact_session_hook_result is 'One row per organization, session, message and hook command in it. The command and the result at the same position of their lists are one row.';
comment on column warehouse.fact_session_hook_result.session_id is 'Id of the session.';
comment on column warehouse.fact_session_hook_result.message_id is 'Id of the message, see fact_session_message.';
comment on column warehouse.fact_session_hook_result.result_index is 'Place in the lists of commands and results, from 0.';
comment on column warehouse.fact_session_hook_result.command is 'Command of the hook; null unless SESSION_TEXT=keep.';
comment on column warehouse.fact_session_hook_result.timeout_seconds is 'Time limit of the command in seconds. Not additive: a setting.';
comment on column warehouse.fact_session_hook_result.exit_code is 'Exit code of the command; null until it has ended. Not additive: a code.';
comment on column warehouse.fact_session_hook_result.stdout_char_count is 'Unicode code points that the command wrote to standard output.';
comment on column warehouse.fact_session_hook_result.stderr_char_count is 'Unicode code points that the command wrote to standard error.';
comment on column warehouse.fact_session_hook_result.suppress_output is 'Whether the output should be hidden.';
call etl.describe_shared_columns('warehouse.fact_session_hook_result');

create table etl.session (
  org_key integer not null references warehouse.dim_org (org_key),
  session_id text not null,
  registered_at timestamptz not null default now(),
  ended_at timestamptz,
  finished_at timestamptz,
  session_id_shown text not null generated always as (warehouse.shown_text(session_id)) stored,
  session_id_digest bytea not null generated always as (warehouse.natural_key_digest(session_id)) stored,
  primary key (org_key, session_id_digest)
);

call etl.add_row_id('etl.session');

-- Every night reads the sessions that are not finished.
create index session_unfinished_idx on etl.session (org_key) where finished_at is null;

comment on table etl.session is 'One row per organization and session whose messages are loaded. Sessions are registered here because the platform has no list of them.';
comment on column etl.session.org_key is 'Organization, see dim_org.';
comment on column etl.session.session_id is 'Id of the session; the key of its slice in etl.slice.';
comment on column etl.session.registered_at is 'When the session was registered.';
comment on column etl.session.ended_at is 'When a hook last reported the end of the session; null if none did.';
comment on column etl.session.finished_at is 'When the program stopped reading the session: it was read completely after its end, or had nothing new for LOOKBACK_DAYS days. Null again when a hook reports a later end.';
call etl.describe_generated_columns('etl.session');

create table etl.kept_text (
  org_key integer not null references warehouse.dim_org (org_key),
  endpoint text not null,
  primary key (org_key, endpoint)
);

comment on table etl.kept_text is 'One row per organization and endpoint with stored texts (SESSION_TEXT=keep). The next load with SESSION_TEXT=none removes the texts.';
comment on column etl.kept_text.org_key is 'Organization, see dim_org.';
comment on column etl.kept_text.endpoint is 'Endpoint that reports the texts.';
