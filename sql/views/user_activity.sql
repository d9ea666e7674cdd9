-- What does each user do?
create or replace view bi.user_activity as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  u.user_id_shown as user_id,
  u.user_label,
  m.model_id_shown as primary_model,
  m.model_tier_shown as primary_model_tier,
  l.level_code_shown as delegation_level,
  f.billable_tokens as credits,
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
  f.is_active
from warehouse.user_day as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_user as u on u.user_key = f.user_key
left join warehouse.dim_model as m on m.model_key = f.primary_model_key
left join warehouse.dim_autonomy_level as l on l.autonomy_level_key = f.delegation_level_key;

comment on view bi.user_activity is 'One row per organization, UTC day and user that /users reported. Null: not reported; 0: none. Credits by primary_model are not credits by model (bi.credits_by_model): all credits of a day count for its primary model. Credits as /users reports them, which may differ from those of /tokens in bi.credits_by_user.';

-- Drops the function that masked e-mails in an earlier version, unless other objects use it.
do $$
begin
  drop function if exists bi.masked_email(text);
exception
  when dependent_objects_still_exist then null;
end
$$;
