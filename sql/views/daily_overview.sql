-- What happened on each day, over all endpoints? A measure is null when its endpoint reported no such day, so that
-- a day that is not loaded does not look like a day without work.
create or replace view bi.daily_overview as
select
  day.org_key,
  o.org_id,
  day.usage_date,
  token.billable_tokens as credits,
  token.input_tokens,
  token.output_tokens,
  token.cache_read_tokens,
  token.cache_write_tokens,
  activity.daily_active_users,
  activity.weekly_active_users,
  activity.monthly_active_users,
  activity.sessions,
  activity.messages,
  activity.user_messages,
  tool.tool_calls,
  tool.mcp_users_with_mcp as mcp_users,
  tool.web_users,
  tool.skills_invocations as skill_invocations,
  tool.slash_commands_invocations as slash_command_invocations,
  tool.hooks_invocations as hook_invocations,
  tool.autonomy_ratio_avg,
  tool.autonomy_ratio_p50,
  tool.autonomy_ratio_p90,
  productivity.files_created,
  productivity.files_edited,
  productivity.git_commits,
  productivity.git_prs_created,
  token.billable_tokens / nullif(activity.daily_active_users, 0) as credits_per_active_user
from (
  select org_key, usage_date from warehouse.fact_token_daily
  union
  select org_key, usage_date from warehouse.fact_tool_daily
  union
  select org_key, usage_date from warehouse.fact_activity_daily
  union
  select org_key, usage_date from warehouse.fact_productivity_daily
) as day
join warehouse.dim_org as o on o.org_key = day.org_key
left join warehouse.fact_token_daily as token
  on token.org_key = day.org_key
  and token.usage_date = day.usage_date
left join warehouse.fact_tool_daily as tool
  on tool.org_key = day.org_key
  and tool.usage_date = day.usage_date
left join warehouse.fact_activity_daily as activity
  on activity.org_key = day.org_key
  and activity.usage_date = day.usage_date
left join warehouse.fact_productivity_daily as productivity
  on productivity.org_key = day.org_key
  and productivity.usage_date = day.usage_date;

comment on view bi.daily_overview is 'One row per organization and day that any organization-level endpoint reported. Null: not reported; 0: none.';
comment on column bi.daily_overview.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.daily_overview.org_id is 'Organization id.';
comment on column bi.daily_overview.usage_date is 'UTC day.';
comment on column bi.daily_overview.credits is 'Standard Credits consumed.';
comment on column bi.daily_overview.input_tokens is 'Raw input tokens.';
comment on column bi.daily_overview.output_tokens is 'Raw output tokens.';
comment on column bi.daily_overview.cache_read_tokens is 'Tokens read from the prompt cache.';
comment on column bi.daily_overview.cache_write_tokens is 'Tokens written to the prompt cache.';
comment on column bi.daily_overview.daily_active_users is 'Unique users of the day. Not additive over days.';
comment on column bi.daily_overview.weekly_active_users is 'Unique users of the 7 days that end with the day. Not additive over days.';
comment on column bi.daily_overview.monthly_active_users is 'Unique users of the 30 days that end with the day. Not additive over days.';
comment on column bi.daily_overview.sessions is 'Sessions.';
comment on column bi.daily_overview.messages is 'Messages of users and assistants.';
comment on column bi.daily_overview.user_messages is 'Messages of users.';
comment on column bi.daily_overview.tool_calls is 'Tool calls.';
comment on column bi.daily_overview.mcp_users is 'Users who used MCP servers. Not additive over days.';
comment on column bi.daily_overview.web_users is 'Users of the web application. Not additive over days.';
comment on column bi.daily_overview.skill_invocations is 'Skill invocations.';
comment on column bi.daily_overview.slash_command_invocations is 'Slash command invocations.';
comment on column bi.daily_overview.hook_invocations is 'Hook invocations.';
comment on column bi.daily_overview.autonomy_ratio_avg is 'Tool calls per user turn, mean. Not additive over days.';
comment on column bi.daily_overview.autonomy_ratio_p50 is 'Tool calls per user turn, median. Not additive over days.';
comment on column bi.daily_overview.autonomy_ratio_p90 is 'Tool calls per user turn, 90th percentile. Not additive over days.';
comment on column bi.daily_overview.files_created is 'Files created.';
comment on column bi.daily_overview.files_edited is 'Files edited.';
comment on column bi.daily_overview.git_commits is 'Git commits.';
comment on column bi.daily_overview.git_prs_created is 'Pull requests created.';
comment on column bi.daily_overview.credits_per_active_user is 'Credits divided by the active users of the day; null without active users. Not additive over days.';
