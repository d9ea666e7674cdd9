-- Through which clients do people work? The shares of one day may add up to more than 1, because a user of several
-- clients counts in each.
create or replace view bi.adoption_by_client as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  c.client_type_shown as client_type,
  c.description,
  f.daily_active_users,
  f.daily_active_users::double precision / nullif(total.daily_active_users, 0) as share_of_active_users
from warehouse.fact_activity_client_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_client as c on c.client_key = f.client_key
left join warehouse.fact_activity_daily as total
  on total.org_key = f.org_key
  and total.usage_date = f.usage_date;

comment on view bi.adoption_by_client is 'One row per organization, day and client type.';
