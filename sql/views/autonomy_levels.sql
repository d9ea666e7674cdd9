-- How much do people let agents do by themselves? Sort by autonomy_rank, from manual up.
create or replace view bi.autonomy_levels as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  l.level_code_shown as autonomy_level,
  l.description,
  l.autonomy_rank,
  f.share
from warehouse.fact_autonomy_level_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_autonomy_level as l on l.autonomy_level_key = f.autonomy_level_key;

comment on view bi.autonomy_levels is 'One row per organization, day and autonomy level.';
