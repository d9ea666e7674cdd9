-- Whose user id is it? For those who may name persons.
create or replace view bi_people.users as
select
  u.org_key,
  o.org_id,
  u.user_id_shown as user_id,
  u.user_email,
  coalesce(t.team, 'unassigned') as team,
  t.department,
  t.cost_center,
  u.user_id as reported_user_id
from warehouse.dim_user as u
join warehouse.dim_org as o on o.org_key = u.org_key
left join warehouse.member_history as history
  on history.org_key = u.org_key
  and history.user_key = u.user_key
left join (
  select distinct
    team_number,
    team,
    department,
    cost_center
  from warehouse.assigned_team
) as t on t.team_number = history.team_numbers[width_bucket((now() at time zone 'utc')::date, history.first_days)];

comment on view bi_people.users is 'One row per user of an organization, with e-mail and today''s team. Personal data.';
