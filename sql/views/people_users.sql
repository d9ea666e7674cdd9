-- Whose user id is it? For those who may name persons.
create or replace view bi_people.users as
select
  o.org_key,
  o.org_id,
  of_user.*
from warehouse.dim_org as o
cross join lateral (
  -- a CTE, as in bi.computer_status
  with team as (
    select distinct
      team_number,
      team,
      department,
      cost_center
    from warehouse.assigned_team
    where org_key = o.org_key
  )
  select
    u.user_id_shown as user_id,
    u.user_email,
    coalesce(t.team, 'unassigned') as team,
    t.department,
    t.cost_center,
    u.user_id as reported_user_id
  from warehouse.dim_user as u
  left join warehouse.member_history as history
    on history.org_key = o.org_key
    and history.user_key = u.user_key
  left join team as t
    on t.team_number = history.team_numbers[width_bucket((now() at time zone 'utc')::date, history.first_days)]
  where u.org_key = o.org_key
) as of_user;

comment on view bi_people.users is 'One row per user of an organization, with e-mail and today''s team. Personal data.';
