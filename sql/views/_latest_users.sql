-- Up to which day is it known who was active?
create or replace view etl.latest_users as
select
  org_key,
  max(usage_date) as as_of_day
from etl.held_day
where endpoint = 'users'
group by org_key;

comment on view etl.latest_users is 'One row per organization of which /users holds any day.';
comment on column etl.latest_users.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.latest_users.as_of_day is 'Latest UTC day that /users holds.';
