-- Whose user id is it? For those who may name persons.
create or replace view bi_people.users as
select
  u.org_key,
  o.org_id,
  u.user_id,
  u.user_email,
  coalesce(t.team, 'unassigned') as team,
  t.department,
  t.cost_center
from warehouse.dim_user as u
join warehouse.dim_org as o on o.org_key = u.org_key
left join warehouse.assigned_team as t
  on t.org_key = u.org_key
  and t.user_key = u.user_key
  and (now() at time zone 'utc')::date between t.valid_from and t.valid_to;

comment on view bi_people.users is 'One row per user of an organization, with e-mail and today''s team. Personal data.';
