-- In which team was a user on a day? `team_numbers[width_bucket(day, first_days)]`, null without a team. One row per
-- user, so that millions of facts find their team with one look-up each.
create or replace view warehouse.member_history as
select
  turn.org_key,
  turn.user_key,
  array_agg(turn.first_day order by turn.first_day) as first_days,
  array_agg(turn.team_number order by turn.first_day) as team_numbers
from (
  select
    org_key,
    user_key,
    first_day,
    -- if a period begins on the day after another one ends, its team counts
    max(team_number) as team_number
  from (
    select
      org_key,
      user_key,
      valid_from as first_day,
      team_number
    from warehouse.assigned_team
    union all
    select
      org_key,
      user_key,
      valid_to + 1,
      null
    from warehouse.assigned_team
    where valid_to < date 'infinity'
  ) as change
  group by
    org_key,
    user_key,
    first_day
) as turn
group by
  turn.org_key,
  turn.user_key;

comment on view warehouse.member_history is 'One row per organization and user who was ever assigned to a team.';
comment on column warehouse.member_history.org_key is 'Organization, see dim_org.';
comment on column warehouse.member_history.user_key is 'User, see dim_user.';
comment on column warehouse.member_history.first_days is 'UTC days on which the team of the user changed, ascending.';
comment on column warehouse.member_history.team_numbers is 'Team from each of these days on, see warehouse.assigned_team; null: none.';
