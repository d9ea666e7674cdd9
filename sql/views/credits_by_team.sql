-- What does each team use, and what does that cost? Active users are those of /users,
-- counted for the team that they had on that day.
create or replace view bi.credits_by_team as
select
  o.org_key,
  o.org_id,
  of_team.usage_date,
  of_team.team,
  of_team.active_users,
  of_team.credits,
  of_team.cost,
  of_team.currency,
  of_team.unpriced_credits
from warehouse.dim_org as o
cross join lateral (
  select
    part.usage_date,
    part.team,
    sum(part.active_users) as active_users,
    sum(part.credits) as credits,
    sum(part.cost) as cost,
    max(part.currency) as currency,
    sum(part.unpriced_credits) as unpriced_credits
  from (
    select
      usage_date,
      team,
      0 as active_users,
      credits,
      cost,
      currency,
      unpriced_credits
    from warehouse.team_credits
    where org_key = o.org_key
    union all
    select
      of_day.usage_date,
      coalesce(t.team, 'unassigned'),
      of_day.users,
      null,
      null,
      null,
      null
    from (
      select
        d.usage_date,
        t.team_numbers[width_bucket(d.usage_date, t.first_days)] as team_number,
        count(*) as users
      from warehouse.user_day as d
      left join warehouse.member_history as t
        on t.org_key = o.org_key
        and t.user_key = d.user_key
      where d.org_key = o.org_key
        and d.is_active
      group by
        d.usage_date,
        t.team_numbers[width_bucket(d.usage_date, t.first_days)]
    ) as of_day
    left join (
      select distinct
        team_number,
        team
      from warehouse.assigned_team
      where org_key = o.org_key
    ) as t on t.team_number = of_day.team_number
  ) as part
  group by
    part.usage_date,
    part.team
) as of_team;

comment on view bi.credits_by_team is 'One row per organization, UTC day and team. A user counts for the team of that day; unassigned: without a team; unattributed: credits that no user accounts for. The sums over teams equal bi.credits_by_model.';
