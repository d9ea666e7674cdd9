-- Up to which day is it known who was active?
create or replace view etl.latest_users as
select
  o.org_key,
  latest.as_of_day
from warehouse.dim_org as o
cross join lateral (
  select max(s.usage_date) as as_of_day
  from etl.slice as s
  where s.org_key = o.org_key
    and s.endpoint = 'users'
    and s.status in ('loaded', 'empty')
) as latest
where latest.as_of_day is not null;

comment on view etl.latest_users is 'One row per organization of which /users holds any day.';
comment on column etl.latest_users.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.latest_users.as_of_day is 'Latest UTC day that /users holds.';
