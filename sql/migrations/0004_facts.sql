-- Facts: the measures of one organization on one UTC day, at the grain that the table comment states.
--
-- Measures are nullable: null is "not reported", 0 is "none". No table has an index besides its primary key: an index costs
-- time in every load, and the key serves the queries of BI (one organization, a range of days, joins to small dimensions).
-- The key begins with the organization, so that a table can be distributed by it.

-- From /tokens.

create table warehouse.fact_token_daily (
  org_key integer,
  usage_date date,
  billable_tokens numeric,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date)
);

comment on table warehouse.fact_token_daily is 'One row per organization and day: credits and tokens consumed.';
comment on column warehouse.fact_token_daily.billable_tokens is 'Standard Credits consumed, after cache discounts.';
comment on column warehouse.fact_token_daily.input_tokens is 'Raw input tokens.';
comment on column warehouse.fact_token_daily.output_tokens is 'Raw output tokens.';
comment on column warehouse.fact_token_daily.cache_read_tokens is 'Tokens read from the prompt cache.';
comment on column warehouse.fact_token_daily.cache_write_tokens is 'Tokens written to the prompt cache.';

create table warehouse.fact_token_model_daily (
  org_key integer,
  usage_date date,
  model_key integer,
  billable_tokens numeric,
  input_tokens bigint,
  output_tokens bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, model_key)
);

comment on table warehouse.fact_token_model_daily is 'One row per organization, day and model: credits and tokens consumed.';
comment on column warehouse.fact_token_model_daily.billable_tokens is 'Standard Credits consumed with the model.';
comment on column warehouse.fact_token_model_daily.input_tokens is 'Raw input tokens of the model.';
comment on column warehouse.fact_token_model_daily.output_tokens is 'Raw output tokens of the model.';

create table warehouse.fact_token_user_daily (
  org_key integer,
  usage_date date,
  user_key integer,
  billable_tokens numeric,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, user_key)
);

comment on table warehouse.fact_token_user_daily is 'One row per organization, day and user: credits consumed.';
comment on column warehouse.fact_token_user_daily.billable_tokens is 'Standard Credits consumed by the user, as /tokens reports them.';

create table warehouse.fact_token_user_model_daily (
  org_key integer,
  usage_date date,
  user_key integer,
  model_key integer,
  billable_tokens numeric,
  input_tokens bigint,
  output_tokens bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, user_key, model_key)
);

comment on table warehouse.fact_token_user_model_daily is 'One row per organization, day, user and model: credits and tokens consumed.';
comment on column warehouse.fact_token_user_model_daily.billable_tokens is 'Standard Credits consumed by the user with the model.';
comment on column warehouse.fact_token_user_model_daily.input_tokens is 'Raw input tokens of the user with the model.';
comment on column warehouse.fact_token_user_model_daily.output_tokens is 'Raw output tokens of the user with the model.';

-- From /tools.

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

-- From /activity.

create table warehouse.fact_activity_daily (
  org_key integer,
  usage_date date,
  daily_active_users bigint,
  weekly_active_users bigint,
  monthly_active_users bigint,
  sessions bigint,
  messages bigint,
  user_messages bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date)
);

comment on table warehouse.fact_activity_daily is 'One row per organization and day: active users, sessions and messages.';
comment on column warehouse.fact_activity_daily.daily_active_users is 'Unique users active on the day. Not additive over days: the same user counts each day.';
comment on column warehouse.fact_activity_daily.weekly_active_users is 'Unique users active in the 7 days that end with the day. Not additive over days: the windows overlap.';
comment on column warehouse.fact_activity_daily.monthly_active_users is 'Unique users active in the 30 days that end with the day. Not additive over days: the windows overlap.';
comment on column warehouse.fact_activity_daily.sessions is 'Sessions.';
comment on column warehouse.fact_activity_daily.messages is 'Messages of users and assistants.';
comment on column warehouse.fact_activity_daily.user_messages is 'Messages of users.';

create table warehouse.fact_activity_client_daily (
  org_key integer,
  usage_date date,
  client_key integer,
  daily_active_users bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, client_key)
);

comment on table warehouse.fact_activity_client_daily is 'One row per organization, day and client type.';
comment on column warehouse.fact_activity_client_daily.daily_active_users is 'Unique users active on the client. Not additive over days, nor over clients: a user of several clients counts in each.';

-- From /productivity.

create table warehouse.fact_productivity_daily (
  org_key integer,
  usage_date date,
  files_created bigint,
  files_edited bigint,
  git_commits bigint,
  git_prs_created bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date)
);

comment on table warehouse.fact_productivity_daily is 'One row per organization and day: files and git work.';
comment on column warehouse.fact_productivity_daily.files_created is 'Files created.';
comment on column warehouse.fact_productivity_daily.files_edited is 'Files edited.';
comment on column warehouse.fact_productivity_daily.git_commits is 'Git commits.';
comment on column warehouse.fact_productivity_daily.git_prs_created is 'Pull requests created.';

create table warehouse.fact_file_extension_daily (
  org_key integer,
  usage_date date,
  file_extension_key integer,
  file_operations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, file_extension_key)
);

comment on table warehouse.fact_file_extension_daily is 'One row per organization, day and file extension.';
comment on column warehouse.fact_file_extension_daily.file_operations is 'File operations on files with the extension.';

create table warehouse.fact_language_daily (
  org_key integer,
  usage_date date,
  language_key integer,
  file_operations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, language_key)
);

comment on table warehouse.fact_language_daily is 'One row per organization, day and programming language.';
comment on column warehouse.fact_language_daily.file_operations is 'File operations on files of the language.';

-- From /users.

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

create table warehouse.bridge_user_language_daily (
  org_key integer,
  usage_date date,
  user_key integer,
  language_key integer,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, user_key, language_key)
);

comment on table warehouse.bridge_user_language_daily is 'One row per organization, day, user and programming language that the user worked in; no measures.';

-- Comments and foreign keys of the columns that the tables share: the keys and loaded_at. BI tools find the joins by the
-- foreign keys. From Postgres 18 on these are not enforced, so they cost a load nothing: the loader guarantees them, and the
-- check orphan_keys proves it. Before 18 every foreign key is enforced.
do $$
declare
  not_enforced constant text :=
    case when current_setting('server_version_num')::integer >= 180000 then ' not enforced' else '' end;
  shared record;
begin
  for shared in
    select
      c.relname as table_name,
      list.column_name,
      list.dimension,
      list.dimension_key,
      list.description
    from (
      values
        ('org_key', 'dim_org', 'org_key', 'Organization, see dim_org.'),
        ('usage_date', 'dim_date', 'date_day', 'UTC day that the row is about, see dim_date.'),
        ('user_key', 'dim_user', 'user_key', 'User, see dim_user.'),
        ('model_key', 'dim_model', 'model_key', 'Model and tier, see dim_model.'),
        ('tool_key', 'dim_tool', 'tool_key', 'Tool, see dim_tool.'),
        ('mcp_server_key', 'dim_mcp_server', 'mcp_server_key', 'MCP server as spelled, see dim_mcp_server.'),
        ('skill_key', 'dim_skill', 'skill_key', 'Skill, see dim_skill.'),
        ('slash_command_key', 'dim_slash_command', 'slash_command_key', 'Slash command, see dim_slash_command.'),
        ('hook_key', 'dim_hook', 'hook_key', 'Hook, see dim_hook.'),
        ('client_key', 'dim_client', 'client_key', 'Client type, see dim_client.'),
        ('autonomy_level_key', 'dim_autonomy_level', 'autonomy_level_key', 'Autonomy level, see dim_autonomy_level.'),
        ('file_extension_key', 'dim_file_extension', 'file_extension_key', 'File extension, see dim_file_extension.'),
        ('language_key', 'dim_language', 'language_key', 'Programming language, see dim_language.'),
        ('primary_model_key', 'dim_model', 'model_key', 'Model that the user used most, see dim_model; null when not reported.'),
        ('delegation_level_key', 'dim_autonomy_level', 'autonomy_level_key', 'Delegation level of the user, see dim_autonomy_level; null when not reported.'),
        ('loaded_at', null, null, 'When the values of the row last changed. A load with equal values does not change it.')
    ) as list (column_name, dimension, dimension_key, description)
    join pg_catalog.pg_attribute as a on a.attname = list.column_name
    join pg_catalog.pg_class as c on c.oid = a.attrelid
    where c.relnamespace = 'warehouse'::regnamespace
      and c.relkind = 'r'
      and c.relname ~ '^(fact|bridge)_'
    order by c.relname, a.attnum
  loop
    execute format(
      'comment on column warehouse.%I.%I is %L',
      shared.table_name, shared.column_name, shared.description
    );
    if shared.dimension is not null then
      execute format(
        'alter table warehouse.%I add constraint %I foreign key (%I) references warehouse.%I (%I)%s',
        shared.table_name,
        shared.table_name || '_' || shared.column_name || '_fkey',
        shared.column_name,
        shared.dimension,
        shared.dimension_key,
        not_enforced
      );
    end if;
  end loop;
end
$$;

-- Later files call this for each fact or bridge that they create.
create procedure etl.describe_shared_columns(of_table regclass)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  not_enforced constant text :=
    case when current_setting('server_version_num')::integer >= 180000 then ' not enforced' else '' end;
  shared record;
begin
  for shared in
    select
      a.attname as column_name,
      case
        when a.attname = 'loaded_at'
          then 'When the values of the row last changed. A load with equal values does not change it.'
        when a.attgenerated <> ''
          then format('Digest of %s, see warehouse.natural_key_digest.', regexp_replace(a.attname, '_digest$', ''))
        when a.attname = 'org_key' then 'Organization, see dim_org.'
        when a.attname = 'usage_date' then 'UTC day that the row is about, see dim_date.'
        when a.attname = 'snapshot_date' then 'UTC day on which the row was read, see dim_date.'
        else format('See %s.', d.relname)
      end as description,
      d.relname as dimension,
      k.attname as dimension_key
    from pg_catalog.pg_attribute as a
    left join (
      pg_catalog.pg_constraint as p
      join pg_catalog.pg_class as d on d.oid = p.conrelid
      join pg_catalog.pg_attribute as k on k.attrelid = d.oid and k.attnum = p.conkey[1]
    ) on p.contype = 'p'
      and cardinality(p.conkey) = 1
      and d.relnamespace = 'warehouse'::regnamespace
      and d.relname ~ '^dim_'
      and k.attname = case when a.attname in ('usage_date', 'snapshot_date') then 'date_day' else a.attname end
    where a.attrelid = of_table
      and a.attnum > 0
      and not a.attisdropped
      and (a.attname = 'loaded_at' or a.attgenerated <> '' or d.oid is not null)
    order by a.attnum
  loop
    execute format('comment on column %s.%I is %L', of_table, shared.column_name, shared.description);
    if shared.dimension is not null then
      -- before Postgres 18 a key is always enforced
      execute format(
        'alter table %s add foreign key (%I) references warehouse.%I (%I)%s',
        of_table,
        shared.column_name,
        shared.dimension,
        shared.dimension_key,
        not_enforced
      );
    end if;
  end loop;
end
$$;

comment on procedure etl.describe_shared_columns(regclass) is
  'For a new fact or bridge: comments on org_key, the day, keys of dimensions, digests and loaded_at, and their foreign keys, not enforced from Postgres 18 on.';
