-- When did somebody do something? Only this view defines a user's active day.
create or replace view warehouse.user_day as
select
  f.org_key,
  f.usage_date,
  f.user_key,
  f.primary_model_key,
  f.delegation_level_key,
  f.billable_tokens,
  f.tool_calls,
  f.files_created,
  f.files_edited,
  f.git_commits,
  f.git_prs_created,
  f.mcp_calls,
  f.skill_calls,
  f.slash_commands,
  f.hooks,
  f.sessions,
  f.messages,
  f.user_messages,
  f.assistant_messages,
  f.autonomy_ratio,
  coalesce(
    greatest(
      f.tool_calls, f.files_created, f.files_edited, f.git_commits, f.git_prs_created, f.mcp_calls, f.skill_calls,
      f.slash_commands, f.hooks, f.sessions, f.messages, f.user_messages, f.assistant_messages
    ) > 0,
    false
  ) or coalesce(f.billable_tokens > 0, false) as is_active
from warehouse.fact_user_daily as f;

comment on view warehouse.user_day is 'One row per organization, UTC day and user, as in fact_user_daily, and whether it is an active day.';

do $$
declare
  described record;
begin
  for described in
    select
      a.attname as column_name,
      coalesce(
        col_description('warehouse.fact_user_daily'::regclass, f.attnum),
        'Whether any count of the row is above 0.'
      ) as description
    from pg_catalog.pg_attribute as a
    left join pg_catalog.pg_attribute as f
      on f.attrelid = 'warehouse.fact_user_daily'::regclass
      and f.attname = a.attname
    where a.attrelid = 'warehouse.user_day'::regclass
      and a.attnum > 0
  loop
    execute format('comment on column warehouse.user_day.%I is %L', described.column_name, described.description);
  end loop;
end
$$;
