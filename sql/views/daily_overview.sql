-- What happened on each day, over all endpoints? Every day has a row, so that charts show gaps. A measure is null if
-- its endpoint reported none, so that a missing day does not look like a day without work.
create or replace view bi.daily_overview as
select
  o.org_key,
  o.org_id,
  of_day.*
from warehouse.dim_org as o
cross join lateral (
  select
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
    tool.tool_calls_per_session_avg,
    tool.user_turns_per_session_avg,
    productivity.files_created,
    productivity.files_edited,
    productivity.git_commits,
    productivity.git_prs_created,
    activity.daily_active_users::double precision / nullif(activity.monthly_active_users, 0) as stickiness,
    (
      token.cache_read_tokens
      / nullif(token.input_tokens::numeric + token.cache_read_tokens + token.cache_write_tokens, 0)
    )::double precision as cache_hit_ratio,
    (token.billable_tokens / nullif(activity.daily_active_users, 0))::double precision as credits_per_active_user,
    (avg(token.billable_tokens) over last_7_days)::double precision as credits_7d_avg,
    (avg(activity.daily_active_users) over last_7_days)::double precision as daily_active_users_7d_avg,
    (avg(activity.sessions) over last_7_days)::double precision as sessions_7d_avg,
    (avg(tool.tool_calls) over last_7_days)::double precision as tool_calls_7d_avg,
    (avg(productivity.git_commits) over last_7_days)::double precision as git_commits_7d_avg,
    (avg(productivity.git_prs_created) over last_7_days)::double precision as git_prs_created_7d_avg
  from (
    select held.first_day + n as usage_date
    from (
      select min(usage_date) as first_day
      from etl.held_day
      where org_key = o.org_key
    ) as held
    cross join lateral generate_series(0, (now() at time zone 'utc')::date - 1 - held.first_day) as n
  ) as day
  left join warehouse.fact_token_daily as token
    on token.org_key = o.org_key
    and token.usage_date = day.usage_date
  left join warehouse.fact_tool_daily as tool
    on tool.org_key = o.org_key
    and tool.usage_date = day.usage_date
  left join warehouse.fact_activity_daily as activity
    on activity.org_key = o.org_key
    and activity.usage_date = day.usage_date
  left join warehouse.fact_productivity_daily as productivity
    on productivity.org_key = o.org_key
    and productivity.usage_date = day.usage_date
  window last_7_days as (
    order by day.usage_date
    rows between 6 preceding and current row
  )
) as of_day;

comment on view bi.daily_overview is 'One row per organization and UTC day, from the first day that any endpoint holds to yesterday. Null: not reported; 0: none. Active users are those that the platform counts; bi.weekly_overview and bi.monthly_overview count users with an active day instead, and need not agree with them. Credits are those of /tokens; the sum over bi.user_activity, from /users, may differ.';
