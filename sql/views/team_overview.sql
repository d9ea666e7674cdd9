-- How does each team work in each month? A user counts once in a month, in each team that the user was in.
create or replace view bi.team_overview as
select
  o.org_key,
  o.org_id,
  of_team.month_start,
  of_team.team,
  of_team.active_users,
  of_team.credits,
  of_team.sessions,
  of_team.git_commits,
  of_team.git_prs_created,
  (of_team.credits / nullif(of_team.active_users, 0))::double precision as credits_per_active_user
from warehouse.dim_org as o
cross join lateral (
  select
    part.month_start,
    part.team,
    sum(part.active_users) as active_users,
    sum(part.credits) as credits,
    sum(part.sessions) as sessions,
    sum(part.git_commits) as git_commits,
    sum(part.git_prs_created) as git_prs_created
  from (
    select
      date_trunc('month', usage_date::timestamp)::date as month_start,
      team,
      0 as active_users,
      credits,
      null::numeric as sessions,
      null::numeric as git_commits,
      null::numeric as git_prs_created
    from warehouse.team_credits
    where org_key = o.org_key
    union all
    select
      worked.month_start,
      worked.team,
      count(*) filter (where worked.is_active),
      null,
      sum(worked.sessions),
      sum(worked.git_commits),
      sum(worked.git_prs_created)
    from (
      -- one team may have two departments: a user of both is one active user of the team
      select
        of_user.month_start,
        of_user.user_key,
        coalesce(t.team, 'unassigned') as team,
        bool_or(of_user.is_active) as is_active,
        sum(of_user.sessions) as sessions,
        sum(of_user.git_commits) as git_commits,
        sum(of_user.git_prs_created) as git_prs_created
      from (
        select
          date_trunc('month', f.usage_date::timestamp)::date as month_start,
          f.user_key,
          t.team_numbers[width_bucket(f.usage_date, t.first_days)] as team_number,
          bool_or(f.is_active) as is_active,
          sum(f.sessions) as sessions,
          sum(f.git_commits) as git_commits,
          sum(f.git_prs_created) as git_prs_created
        from warehouse.user_day as f
        left join warehouse.member_history as t
          on t.org_key = o.org_key
          and t.user_key = f.user_key
        where f.org_key = o.org_key
        group by
          date_trunc('month', f.usage_date::timestamp)::date,
          f.user_key,
          t.team_numbers[width_bucket(f.usage_date, t.first_days)]
      ) as of_user
      left join (
        select distinct
          team_number,
          team
        from warehouse.assigned_team
        where org_key = o.org_key
      ) as t on t.team_number = of_user.team_number
      group by
        of_user.month_start,
        of_user.user_key,
        coalesce(t.team, 'unassigned')
    ) as worked
    group by
      worked.month_start,
      worked.team
  ) as part
  group by
    part.month_start,
    part.team
) as of_team;

comment on view bi.team_overview is 'One row per organization, month and team. Active users are distinct within the month: they cannot be added from days, nor over teams or months. A user counts for the team of each day; unassigned: without a team; unattributed: credits that no user accounts for.';
