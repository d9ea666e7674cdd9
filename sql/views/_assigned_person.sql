-- Who belongs to which team, by the key of the user? An assignment by e-mail belongs to the user who has that e-mail
-- now. A user with assignments by user id is not looked up by e-mail, so that no day counts twice. The view does not
-- number the teams, because that would read the teams of all organizations in a query for one.
create or replace view warehouse.assigned_person as
select
  u.org_key,
  u.user_key,
  a.team_shown as team,
  a.department_shown as department,
  a.cost_center_shown as cost_center,
  a.valid_from,
  coalesce(a.valid_to, date 'infinity') as valid_to
from warehouse.person_assignment as a
join warehouse.dim_user as u
  on u.org_key = a.org_key
  and u.user_id = a.user_id
union all
select
  u.org_key,
  u.user_key,
  a.team_shown as team,
  a.department_shown as department,
  a.cost_center_shown as cost_center,
  a.valid_from,
  coalesce(a.valid_to, date 'infinity') as valid_to
from warehouse.person_assignment as a
join warehouse.dim_user as u
  on u.org_key = a.org_key
  -- as in `people import`: letters with accents may be one character or two
  and lower(normalize(u.user_email)) = lower(normalize(a.user_email))
where a.user_id is null
  and not exists (
    select
    from warehouse.person_assignment as by_id
    where by_id.org_key = u.org_key
      and by_id.user_id = u.user_id
  );

comment on view warehouse.assigned_person is 'One row per organization, user and period: the team of the user. Users without a team are not here.';
comment on column warehouse.assigned_person.org_key is 'Organization, see dim_org.';
comment on column warehouse.assigned_person.user_key is 'User, see dim_user.';
comment on column warehouse.assigned_person.team is 'Team of the user.';
comment on column warehouse.assigned_person.department is 'Department of the team; null when not given.';
comment on column warehouse.assigned_person.cost_center is 'Cost center that pays; null when not given.';
comment on column warehouse.assigned_person.valid_from is 'First UTC day of the period.';
comment on column warehouse.assigned_person.valid_to is 'Last UTC day of the period, included; infinity while it is open.';
