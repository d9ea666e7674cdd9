-- A user belongs to one organization. A fact that points to a user of another one would show the work of one
-- customer to another, and no foreign key of a single column can forbid it.
select
  f.org_key,
  e.endpoint,
  f.usage_date,
  format('%s: %s rows have a user of another organization', f.table_name, f.row_count) as detail
from (
  select 'fact_token_user_daily' as table_name, f.org_key, f.usage_date, count(*) as row_count
  from warehouse.fact_token_user_daily as f
  join warehouse.dim_user as u on u.user_key = f.user_key and u.org_key <> f.org_key
  group by f.org_key, f.usage_date
  union all
  select 'fact_token_user_model_daily', f.org_key, f.usage_date, count(*)
  from warehouse.fact_token_user_model_daily as f
  join warehouse.dim_user as u on u.user_key = f.user_key and u.org_key <> f.org_key
  group by f.org_key, f.usage_date
  union all
  select 'fact_user_daily', f.org_key, f.usage_date, count(*)
  from warehouse.fact_user_daily as f
  join warehouse.dim_user as u on u.user_key = f.user_key and u.org_key <> f.org_key
  group by f.org_key, f.usage_date
  union all
  select 'bridge_user_language_daily', f.org_key, f.usage_date, count(*)
  from warehouse.bridge_user_language_daily as f
  join warehouse.dim_user as u on u.user_key = f.user_key and u.org_key <> f.org_key
  group by f.org_key, f.usage_date
) as f
left join etl.table_endpoint as e on e.table_name = f.table_name;
