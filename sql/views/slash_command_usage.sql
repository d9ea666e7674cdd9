-- Which slash commands are used?
create or replace view bi.slash_command_usage as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  d.command_name_shown as command_name,
  f.invocations
from warehouse.fact_slash_command_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_slash_command as d on d.slash_command_key = f.slash_command_key;

comment on view bi.slash_command_usage is 'One row per organization, UTC day and slash command.';
