-- warehouse.assigned_person with a number for each team, department and cost center: grouping by it takes half the time.
create or replace view warehouse.assigned_team as
select
  named.org_key,
  named.user_key,
  named.team,
  named.department,
  named.cost_center,
  named.valid_from,
  named.valid_to,
  dense_rank() over (
    partition by named.org_key
    order by named.team, named.department, named.cost_center
  )::integer as team_number
from warehouse.assigned_person as named;

comment on view warehouse.assigned_team is 'One row per organization, user and period: the team of the user. Users without a team are not here.';
comment on column warehouse.assigned_team.org_key is 'Organization, see dim_org.';
comment on column warehouse.assigned_team.user_key is 'User, see dim_user.';
comment on column warehouse.assigned_team.team is 'Team of the user.';
comment on column warehouse.assigned_team.department is 'Department of the team; null when not given.';
comment on column warehouse.assigned_team.cost_center is 'Cost center that pays; null when not given.';
comment on column warehouse.assigned_team.valid_from is 'First UTC day of the period.';
comment on column warehouse.assigned_team.valid_to is 'Last UTC day of the period, included; infinity while it is open.';
comment on column warehouse.assigned_team.team_number is 'Number of team, department and cost center together, within one query.';
