-- Who uses the agents, who is new, and who stopped? As of the last day that /users holds, so that a late load makes
-- nobody inactive.
create or replace view bi.users as
select
  o.org_key,
  o.org_id,
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
from warehouse.dim_org as o
cross join lateral (
  select
    user_key,
    user_id_shown,
    user_label
  from warehouse.dim_user
  where org_key = o.org_key
  offset 0
) as u
left join etl.latest_users as as_of on as_of.org_key = o.org_key
left join (
  -- from `group by` Postgres knows that there is one row per user, so it skips this join in queries without the team
  select
    o.org_key,
    o.org_id,
    of_user.user_key,
    max(of_user.team) as team
  from warehouse.dim_org as o
  cross join lateral (
    select
      history.user_key,
      named.team
    from warehouse.member_history as history
    join warehouse.assigned_team as named
      on named.org_key = o.org_key
      and named.team_number = history.team_numbers[width_bucket((now() at time zone 'utc')::date, history.first_days)]
    where history.org_key = o.org_key
    offset 0
  ) as of_user
  group by
    o.org_key,
    o.org_id,
    of_user.user_key
) as t
  on t.org_key = o.org_key
  and t.org_id = o.org_id
  and t.user_key = u.user_key
left join (
  select
    o.org_key,
    o.org_id,
    d.user_key,
    min(d.usage_date) as first_active_day,
    max(d.usage_date) as last_active_day
  from warehouse.user_day as d
  join warehouse.dim_org as o on o.org_key = d.org_key
  where d.is_active
  group by
    o.org_key,
    o.org_id,
    d.user_key
) as ever
  on ever.org_key = o.org_key
  and ever.org_id = o.org_id
  and ever.user_key = u.user_key
left join (
  select
    o.org_key,
    o.org_id,
    d.user_key,
    count(*) filter (where d.is_active and d.usage_date > as_of.as_of_day - 7) as active_days_7,
    count(*) filter (where d.is_active and d.usage_date > as_of.as_of_day - 28) as active_days_28,
    count(*) filter (where d.is_active) as active_days_90,
    sum(d.sessions) filter (where d.usage_date > as_of.as_of_day - 28) as sessions_28d,
    sum(d.git_commits) filter (where d.usage_date > as_of.as_of_day - 28) as git_commits_28d,
    sum(d.git_prs_created) filter (where d.usage_date > as_of.as_of_day - 28) as git_prs_created_28d
  from warehouse.user_day as d
  join warehouse.dim_org as o on o.org_key = d.org_key
  join etl.latest_users as as_of on as_of.org_key = d.org_key
  where d.usage_date between as_of.as_of_day - 89 and as_of.as_of_day
  group by
    o.org_key,
    o.org_id,
    d.user_key
) as recent
  on recent.org_key = o.org_key
  and recent.org_id = o.org_id
  and recent.user_key = u.user_key
left join (
  select
    o.org_key,
    o.org_id,
    c.user_key,
    sum(c.billable_tokens) as credits_28d
  from warehouse.fact_token_user_daily as c
  join warehouse.dim_org as o on o.org_key = c.org_key
  join etl.latest_users as as_of on as_of.org_key = c.org_key
  where c.usage_date between as_of.as_of_day - 27 and as_of.as_of_day
  group by
    o.org_key,
    o.org_id,
    c.user_key
) as charged
  on charged.org_key = o.org_key
  and charged.org_id = o.org_id
  and charged.user_key = u.user_key
left join (
  select distinct on (counted.org_key, counted.org_id, counted.user_key)
    counted.org_key,
    counted.org_id,
    counted.user_key,
    counted.model_id
  from (
    select
      o.org_key,
      o.org_id,
      d.user_key,
      m.model_id_shown as model_id,
      count(*) as days,
      max(d.usage_date) as last_day
    from warehouse.user_day as d
    join warehouse.dim_org as o on o.org_key = d.org_key
    join warehouse.dim_model as m on m.model_key = d.primary_model_key
    join etl.latest_users as as_of on as_of.org_key = d.org_key
    where d.usage_date between as_of.as_of_day - 89 and as_of.as_of_day
      and d.is_active
    group by
      o.org_key,
      o.org_id,
      d.user_key,
      m.model_id_shown
  ) as counted
  order by
    counted.org_key,
    counted.org_id,
    counted.user_key,
    counted.days desc,
    counted.last_day desc,
    counted.model_id
) as favourite
  on favourite.org_key = o.org_key
  and favourite.org_id = o.org_id
  and favourite.user_key = u.user_key
left join (
  select distinct on (counted.org_key, counted.org_id, counted.user_key)
    counted.org_key,
    counted.org_id,
    counted.user_key,
    l.level_code_shown as level_code
  from (
    select
      o.org_key,
      o.org_id,
      d.user_key,
      d.delegation_level_key,
      count(*) as days,
      max(d.usage_date) as last_day
    from warehouse.user_day as d
    join warehouse.dim_org as o on o.org_key = d.org_key
    join etl.latest_users as as_of on as_of.org_key = d.org_key
    where d.usage_date between as_of.as_of_day - 89 and as_of.as_of_day
      and d.is_active
    group by
      o.org_key,
      o.org_id,
      d.user_key,
      d.delegation_level_key
  ) as counted
  join warehouse.dim_autonomy_level as l on l.autonomy_level_key = counted.delegation_level_key
  order by
    counted.org_key,
    counted.org_id,
    counted.user_key,
    counted.days desc,
    counted.last_day desc,
    l.level_code_shown
) as preferred
  on preferred.org_key = o.org_key
  and preferred.org_id = o.org_id
  and preferred.user_key = u.user_key;

comment on view bi.users is 'One row per user that any endpoint reported. Counts are those of the 7, 28 and 90 days that end with as_of_day, the latest day that /users holds. Credits are those of /tokens. Everyone is new in an organization''s first 28 days.';
