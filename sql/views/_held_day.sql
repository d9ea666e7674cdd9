-- Which days does the warehouse know? Only views that show completeness use it.
create or replace view etl.held_day as
select
  o.org_key,
  held.endpoint,
  held.usage_date
from warehouse.dim_org as o
cross join lateral (
  select distinct
    s.endpoint,
    s.usage_date
  from etl.slice as s
  where s.org_key = o.org_key
    and s.endpoint in ('tokens', 'tools', 'activity', 'productivity', 'users')
    and s.status in ('loaded', 'empty')
) as held;

comment on view etl.held_day is 'One row per organization, daily endpoint and UTC day that is held: loaded, or believed to be empty.';
comment on column etl.held_day.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.held_day.endpoint is 'Endpoint: tokens, tools, activity, productivity or users.';
comment on column etl.held_day.usage_date is 'UTC day.';
