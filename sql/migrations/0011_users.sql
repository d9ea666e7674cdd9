-- Facts from /users.

create table warehouse.fact_user_daily (
  org_key integer,
  usage_date date,
  user_key integer,
  primary_model_key integer,
  delegation_level_key integer,
  tool_calls bigint,
  billable_tokens numeric,
  files_created bigint,
  files_edited bigint,
  git_commits bigint,
  git_prs_created bigint,
  mcp_calls bigint,
  skill_calls bigint,
  slash_commands bigint,
  hooks bigint,
  sessions bigint,
  messages bigint,
  user_messages bigint,
  assistant_messages bigint,
  autonomy_ratio double precision,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, user_key)
);

comment on table warehouse.fact_user_daily is 'One row per organization, day and user: all measures of a user.';
comment on column warehouse.fact_user_daily.tool_calls is 'Tool calls.';
comment on column warehouse.fact_user_daily.billable_tokens is 'Standard Credits consumed by the user, as /users reports them.';
comment on column warehouse.fact_user_daily.files_created is 'Files created.';
comment on column warehouse.fact_user_daily.files_edited is 'Files edited.';
comment on column warehouse.fact_user_daily.git_commits is 'Git commits.';
comment on column warehouse.fact_user_daily.git_prs_created is 'Pull requests created.';
comment on column warehouse.fact_user_daily.mcp_calls is 'Calls of MCP tools.';
comment on column warehouse.fact_user_daily.skill_calls is 'Skill invocations.';
comment on column warehouse.fact_user_daily.slash_commands is 'Slash command invocations.';
comment on column warehouse.fact_user_daily.hooks is 'Hook invocations.';
comment on column warehouse.fact_user_daily.sessions is 'Sessions.';
comment on column warehouse.fact_user_daily.messages is 'Messages of the user and the assistant.';
comment on column warehouse.fact_user_daily.user_messages is 'Messages of the user.';
comment on column warehouse.fact_user_daily.assistant_messages is 'Messages of the assistant.';
comment on column warehouse.fact_user_daily.autonomy_ratio is 'Tool calls per user turn. Not additive over days or users: an average.';
call etl.describe_shared_columns('warehouse.fact_user_daily');

create table warehouse.bridge_user_language_daily (
  org_key integer,
  usage_date date,
  user_key integer,
  language_key integer,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, user_key, language_key)
);

comment on table warehouse.bridge_user_language_daily is 'One row per organization, day, user and programming language that the user worked in; no measures.';
call etl.describe_shared_columns('warehouse.bridge_user_language_daily');
