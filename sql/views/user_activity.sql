-- What does each user do? Users appear by key and masked e-mail.
create or replace view bi.user_activity as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  f.user_key,
  bi.masked_email(u.user_email) as masked_email,
  m.model_id as primary_model,
  m.model_tier as primary_model_tier,
  l.level_code as delegation_level,
  f.tool_calls,
  f.billable_tokens as credits,
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
  array(
    select g.language_name
    from warehouse.bridge_user_language_daily as b
    join warehouse.dim_language as g on g.language_key = b.language_key
    where b.org_key = f.org_key
      and b.usage_date = f.usage_date
      and b.user_key = f.user_key
    order by g.language_name
  ) as languages
from warehouse.fact_user_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_user as u on u.user_key = f.user_key
left join warehouse.dim_model as m on m.model_key = f.primary_model_key
left join warehouse.dim_autonomy_level as l on l.autonomy_level_key = f.delegation_level_key;

comment on view bi.user_activity is 'One row per organization, day and user that the platform reported. Null: not reported; 0: none.';
comment on column bi.user_activity.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.user_activity.org_id is 'Organization id.';
comment on column bi.user_activity.usage_date is 'UTC day.';
comment on column bi.user_activity.user_key is 'Key of the user: stable in this warehouse, says nothing about the person.';
comment on column bi.user_activity.masked_email is 'E-mail with all but the first letter and the domain masked; null when unknown. Not unique.';
comment on column bi.user_activity.primary_model is 'Model that the user used most; null when not reported.';
comment on column bi.user_activity.primary_model_tier is 'Tier of that model.';
comment on column bi.user_activity.delegation_level is 'Delegation level of the user; null when not reported.';
comment on column bi.user_activity.tool_calls is 'Tool calls.';
comment on column bi.user_activity.credits is 'Standard Credits consumed, as the users endpoint reports them.';
comment on column bi.user_activity.files_created is 'Files created.';
comment on column bi.user_activity.files_edited is 'Files edited.';
comment on column bi.user_activity.git_commits is 'Git commits.';
comment on column bi.user_activity.git_prs_created is 'Pull requests created.';
comment on column bi.user_activity.mcp_calls is 'Calls of MCP tools.';
comment on column bi.user_activity.skill_calls is 'Skill invocations.';
comment on column bi.user_activity.slash_commands is 'Slash command invocations.';
comment on column bi.user_activity.hooks is 'Hook invocations.';
comment on column bi.user_activity.sessions is 'Sessions.';
comment on column bi.user_activity.messages is 'Messages of the user and the assistant.';
comment on column bi.user_activity.user_messages is 'Messages of the user.';
comment on column bi.user_activity.assistant_messages is 'Messages of the assistant.';
comment on column bi.user_activity.autonomy_ratio is 'Tool calls per user turn. Not additive over days or users: an average.';
comment on column bi.user_activity.languages is 'Programming languages that the user worked in, in order; empty when none is reported.';
