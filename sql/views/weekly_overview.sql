-- What happened in each week, and who came and went? Users are counted from rows of /users, each user once.
create or replace view bi.weekly_overview as
select
  week.org_key,
  week.org_id,
  week.week_start,
  extract(isoyear from week.week_start)::integer as iso_year,
  extract(week from week.week_start)::integer as iso_week,
  case when held.users_days > 0 then active.users end as active_users,
  case when held.users_days > 0 then coalesce(first.users, 0) end as new_users,
  case when held.users_days > 0 then active.users - coalesce(first.users, 0) end as returning_users,
  case when held.users_days = (week.week_end - week.week_start + 1) and held.users_days_before > 0 then active.stopped_users end as stopped_users,
  total.credits,
  total.sessions,
  total.tool_calls,
  total.git_commits,
  total.git_prs_created,
  held.all_days = 5 * (week.week_end - week.week_start + 1) as is_complete
from (
  select
    o.org_key,
    o.org_id,
    held.first_week + 7 * n as week_start,
    held.first_week + 7 * n + 6 as week_end,
    held.first_week + 7 * (n - 1) as before_start
  from warehouse.dim_org as o
  cross join lateral (
    select min(usage_date) - (min(usage_date) - date '2001-01-01') % 7 as first_week
    from etl.held_day
    where org_key = o.org_key
  ) as held
  cross join lateral generate_series(0, ((now() at time zone 'utc')::date - 1 - held.first_week) / 7) as n
) as week
cross join lateral (
  select
    count(*) filter (where d.usage_date >= week.week_start) as all_days,
    count(*) filter (where d.usage_date >= week.week_start and d.endpoint = 'users') as users_days,
    count(*) filter (where d.usage_date < week.week_start and d.endpoint = 'users') as users_days_before
  from etl.held_day as d
  where d.org_key = week.org_key
    and d.usage_date between week.before_start and week.week_end
) as held
-- Users who were active in this week or in the one before.
cross join lateral (
  select
    count(*) filter (where seen.last_day >= week.week_start) as users,
    count(*) filter (where seen.last_day < week.week_start) as stopped_users
  from (
    select max(d.usage_date) as last_day
    from warehouse.user_day as d
    where d.org_key = week.org_key
      and d.usage_date between week.before_start and week.week_end
      and d.is_active
    group by d.user_key
  ) as seen
) as active
-- Here and in other views: Postgres takes a condition on org_id or on org_key into a subquery that is joined by both, so
-- it reads the rows of one organization, in parallel if they are many.
left join (
  select
    ever.org_key,
    ever.org_id,
    ever.first_day - (ever.first_day - date '2001-01-01') % 7 as week_start,
    count(*) as users
  from (
    select
      o.org_key,
      o.org_id,
      min(d.usage_date) as first_day
    from warehouse.user_day as d
    join warehouse.dim_org as o on o.org_key = d.org_key
    where d.is_active
    group by
      o.org_key,
      o.org_id,
      d.user_key
  ) as ever
  group by
    ever.org_key,
    ever.org_id,
    ever.first_day - (ever.first_day - date '2001-01-01') % 7
) as first
  on first.org_key = week.org_key
  and first.org_id = week.org_id
  and first.week_start = week.week_start
left join (
  select
    d.org_key,
    d.org_id,
    d.usage_date - (d.usage_date - date '2001-01-01') % 7 as week_start,
    sum(d.credits) as credits,
    sum(d.sessions) as sessions,
    sum(d.tool_calls) as tool_calls,
    sum(d.git_commits) as git_commits,
    sum(d.git_prs_created) as git_prs_created
  from bi.daily_overview as d
  group by
    d.org_key,
    d.org_id,
    d.usage_date - (d.usage_date - date '2001-01-01') % 7
) as total
  on total.org_key = week.org_key
  and total.org_id = week.org_id
  and total.week_start = week.week_start;

comment on view bi.weekly_overview is 'One row per organization and ISO week, from that of the first day held to that of yesterday. Users are distinct users with an active day (/users): they cannot be added over weeks, and need not agree with the weekly_active_users of bi.daily_overview, which the platform counts over any 7 days. Everyone is new in an organization''s first 28 days. Other figures are sums over the days held: see is_complete.';
