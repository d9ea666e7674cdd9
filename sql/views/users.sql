-- Who uses the agents, who is new, and who stopped? As of the last day that /users holds, so that a late load makes
-- nobody inactive.
create or replace view bi.users as
select
  o.org_key,
  o.org_id,
  of_user.*
from warehouse.dim_org as o
cross join lateral (
  -- Postgres does not take a subquery with a CTE apart, so everything below is computed once for each organization.
  with as_of as (
    select max(as_of_day) as as_of_day
    from etl.latest_users
    where org_key = o.org_key
  )
  select
    u.user_id_shown as user_id,
    u.user_label,
    coalesce(t.team, 'unassigned') as team,
    as_of.as_of_day,
    ever.first_active_day,
    ever.last_active_day,
    coalesce(recent.active_days_7, 0) as active_days_7,
    coalesce(recent.active_days_28, 0) as active_days_28,
    coalesce(recent.active_days_90, 0) as active_days_90,
    case
      when ever.first_active_day is null then 'never'
      when coalesce(recent.active_days_90, 0) = 0 then 'gone'
      when recent.active_days_28 = 0 then 'dormant'
      when ever.first_active_day > as_of.as_of_day - 28 then 'new'
      else 'active'
    end as status,
    coalesce(charged.credits_28d, 0) as credits_28d,
    recent.sessions_28d,
    recent.git_commits_28d,
    recent.git_prs_created_28d,
    favourite.model_id as favourite_model,
    preferred.level_code as preferred_autonomy
  from warehouse.dim_user as u
  cross join as_of
  left join warehouse.member_history as history
    on history.org_key = o.org_key
    and history.user_key = u.user_key
  left join (
    -- `group by` shows Postgres that there is one row per number, so a query that does not select the team skips this
    -- join
    select
      team_number,
      max(team) as team
    from warehouse.assigned_team
    where org_key = o.org_key
    group by team_number
  ) as t on t.team_number = history.team_numbers[width_bucket((now() at time zone 'utc')::date, history.first_days)]
  left join (
    select
      d.user_key,
      min(d.usage_date) as first_active_day,
      max(d.usage_date) as last_active_day
    from warehouse.user_day as d
    where d.org_key = o.org_key
      and d.is_active
    group by d.user_key
  ) as ever on ever.user_key = u.user_key
  left join (
    select
      d.user_key,
      count(*) filter (where d.is_active and d.usage_date > as_of.as_of_day - 7) as active_days_7,
      count(*) filter (where d.is_active and d.usage_date > as_of.as_of_day - 28) as active_days_28,
      count(*) filter (where d.is_active) as active_days_90,
      sum(d.sessions) filter (where d.usage_date > as_of.as_of_day - 28) as sessions_28d,
      sum(d.git_commits) filter (where d.usage_date > as_of.as_of_day - 28) as git_commits_28d,
      sum(d.git_prs_created) filter (where d.usage_date > as_of.as_of_day - 28) as git_prs_created_28d
    from as_of
    join warehouse.user_day as d on d.usage_date between as_of.as_of_day - 89 and as_of.as_of_day
    where d.org_key = o.org_key
    group by d.user_key
  ) as recent on recent.user_key = u.user_key
  left join (
    select
      c.user_key,
      sum(c.billable_tokens) as credits_28d
    from as_of
    join warehouse.fact_token_user_daily as c on c.usage_date between as_of.as_of_day - 27 and as_of.as_of_day
    where c.org_key = o.org_key
    group by c.user_key
  ) as charged on charged.user_key = u.user_key
  left join (
    select distinct on (counted.user_key)
      counted.user_key,
      counted.model_id
    from (
      select
        d.user_key,
        m.model_id_shown as model_id,
        count(*) as days,
        max(d.usage_date) as last_day
      from as_of
      join warehouse.user_day as d on d.usage_date between as_of.as_of_day - 89 and as_of.as_of_day
      join warehouse.dim_model as m on m.model_key = d.primary_model_key
      where d.org_key = o.org_key
        and d.is_active
      group by
        d.user_key,
        m.model_id_shown
    ) as counted
    order by
      counted.user_key,
      counted.days desc,
      counted.last_day desc,
      counted.model_id
  ) as favourite on favourite.user_key = u.user_key
  left join (
    select distinct on (counted.user_key)
      counted.user_key,
      l.level_code_shown as level_code
    from (
      select
        d.user_key,
        d.delegation_level_key,
        count(*) as days,
        max(d.usage_date) as last_day
      from as_of
      join warehouse.user_day as d on d.usage_date between as_of.as_of_day - 89 and as_of.as_of_day
      where d.org_key = o.org_key
        and d.is_active
      group by
        d.user_key,
        d.delegation_level_key
    ) as counted
    join warehouse.dim_autonomy_level as l on l.autonomy_level_key = counted.delegation_level_key
    order by
      counted.user_key,
      counted.days desc,
      counted.last_day desc,
      l.level_code_shown
  ) as preferred on preferred.user_key = u.user_key
  where u.org_key = o.org_key
) as of_user;

comment on view bi.users is 'One row per user that any endpoint reported. Counts are those of the 7, 28 and 90 days that end with as_of_day, the latest day that /users holds. Credits are those of /tokens. Everyone is new in an organization''s first 28 days.';
