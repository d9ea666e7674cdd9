-- How much do people let agents do by themselves? Sort by autonomy_rank, from manual up.
create or replace view bi.autonomy_levels as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  l.level_code as autonomy_level,
  l.description,
  l.autonomy_rank,
  f.share
from warehouse.fact_autonomy_level_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_autonomy_level as l on l.autonomy_level_key = f.autonomy_level_key;

comment on view bi.autonomy_levels is 'One row per organization, day and autonomy level.';
comment on column bi.autonomy_levels.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.autonomy_levels.org_id is 'Organization id.';
comment on column bi.autonomy_levels.usage_date is 'UTC day.';
comment on column bi.autonomy_levels.autonomy_level is 'Level code, for example auto-high.';
comment on column bi.autonomy_levels.description is 'What the level means; null when not documented.';
comment on column bi.autonomy_levels.autonomy_rank is 'Order of the levels, a higher number leaves more to the agent; null when not documented.';
comment on column bi.autonomy_levels.share is 'Share of tool calls made at the level, as reported. Not additive over days: weight it with tool_calls of bi.daily_overview.';
