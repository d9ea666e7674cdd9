-- Facts from /tools.

create table warehouse.fact_tool_daily (
  org_key integer,
  usage_date date,
  tool_calls bigint,
  mcp_users_with_mcp bigint,
  skills_invocations bigint,
  slash_commands_invocations bigint,
  hooks_invocations bigint,
  web_users bigint,
  autonomy_ratio_avg double precision,
  autonomy_ratio_p50 double precision,
  autonomy_ratio_p90 double precision,
  tool_calls_per_session_avg double precision,
  user_turns_per_session_avg double precision,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date)
);

comment on table warehouse.fact_tool_daily is 'One row per organization and day: tool calls and autonomy.';
comment on column warehouse.fact_tool_daily.tool_calls is 'Tool calls.';
comment on column warehouse.fact_tool_daily.mcp_users_with_mcp is 'Users who used MCP servers. Not additive over days: the same user counts each day.';
comment on column warehouse.fact_tool_daily.skills_invocations is 'Skill invocations.';
comment on column warehouse.fact_tool_daily.slash_commands_invocations is 'Slash command invocations.';
comment on column warehouse.fact_tool_daily.hooks_invocations is 'Hook invocations.';
comment on column warehouse.fact_tool_daily.web_users is 'Users of the web application. Not additive over days: the same user counts each day.';
comment on column warehouse.fact_tool_daily.autonomy_ratio_avg is 'Tool calls per user turn, mean. Not additive over days: an average.';
comment on column warehouse.fact_tool_daily.autonomy_ratio_p50 is 'Tool calls per user turn, median. Not additive over days: a percentile.';
comment on column warehouse.fact_tool_daily.autonomy_ratio_p90 is 'Tool calls per user turn, 90th percentile. Not additive over days: a percentile.';
comment on column warehouse.fact_tool_daily.tool_calls_per_session_avg is 'Tool calls per session, mean. Not additive over days: an average.';
comment on column warehouse.fact_tool_daily.user_turns_per_session_avg is 'User turns per session, mean. Not additive over days: an average.';
call etl.describe_shared_columns('warehouse.fact_tool_daily');

create table warehouse.fact_tool_usage_daily (
  org_key integer,
  usage_date date,
  tool_key integer,
  invocations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, tool_key)
);

comment on table warehouse.fact_tool_usage_daily is 'One row per organization, day and tool.';
comment on column warehouse.fact_tool_usage_daily.invocations is 'Invocations of the tool.';
call etl.describe_shared_columns('warehouse.fact_tool_usage_daily');

create table warehouse.fact_mcp_server_daily (
  org_key integer,
  usage_date date,
  mcp_server_key integer,
  invocations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, mcp_server_key)
);

comment on table warehouse.fact_mcp_server_daily is 'One row per organization, day and MCP server as spelled.';
comment on column warehouse.fact_mcp_server_daily.invocations is 'Invocations of tools of the server.';
call etl.describe_shared_columns('warehouse.fact_mcp_server_daily');

create table warehouse.fact_skill_daily (
  org_key integer,
  usage_date date,
  skill_key integer,
  invocations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, skill_key)
);

comment on table warehouse.fact_skill_daily is 'One row per organization, day and skill.';
comment on column warehouse.fact_skill_daily.invocations is 'Invocations of the skill.';
call etl.describe_shared_columns('warehouse.fact_skill_daily');

create table warehouse.fact_slash_command_daily (
  org_key integer,
  usage_date date,
  slash_command_key integer,
  invocations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, slash_command_key)
);

comment on table warehouse.fact_slash_command_daily is 'One row per organization, day and slash command.';
comment on column warehouse.fact_slash_command_daily.invocations is 'Invocations of the command.';
call etl.describe_shared_columns('warehouse.fact_slash_command_daily');

create table warehouse.fact_hook_daily (
  org_key integer,
  usage_date date,
  hook_key integer,
  invocations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, hook_key)
);

comment on table warehouse.fact_hook_daily is 'One row per organization, day and hook.';
comment on column warehouse.fact_hook_daily.invocations is 'Invocations of the hook.';
call etl.describe_shared_columns('warehouse.fact_hook_daily');

create table warehouse.fact_autonomy_level_daily (
  org_key integer,
  usage_date date,
  autonomy_level_key integer,
  share double precision,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, autonomy_level_key)
);

comment on table warehouse.fact_autonomy_level_daily is 'One row per organization, day and autonomy level.';
comment on column warehouse.fact_autonomy_level_daily.share is 'Share of the tool calls of the day made at the level, as reported (0 to 1). Not additive over days: a share.';
call etl.describe_shared_columns('warehouse.fact_autonomy_level_daily');
