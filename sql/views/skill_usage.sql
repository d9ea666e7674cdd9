-- Which skills are used?
create or replace view bi.skill_usage as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  d.skill_name_shown as skill_name,
  f.invocations
from warehouse.fact_skill_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_skill as d on d.skill_key = f.skill_key;

comment on view bi.skill_usage is 'One row per organization, UTC day and skill.';
