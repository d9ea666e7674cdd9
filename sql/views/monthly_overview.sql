-- What happened in each month, and who came and went? Users are counted from rows of /users, each user once.
create or replace view bi.monthly_overview as
select
  month.org_key,
  month.org_id,
  month.month_start,
  case when held.users_days > 0 then active.users end as active_users,
  case when held.users_days > 0 then coalesce(first.users, 0) end as new_users,
  case when held.users_days > 0 then active.users - coalesce(first.users, 0) end as returning_users,
  case when held.users_days = (month.month_end - month.month_start + 1) and held.users_days_before > 0 then active.stopped_users end as stopped_users,
  total.credits,
  total.sessions,
  total.tool_calls,
  total.git_commits,
  total.git_prs_created,
  held.all_days = 5 * (month.month_end - month.month_start + 1) as is_complete,
  case
    when month.month_end > (now() at time zone 'utc')::date - 1
      then (total.credits / nullif(held.tokens_days, 0) * (month.month_end - month.month_start + 1))::double precision
  end as run_rate_credits
from (
  select
    o.org_key,
    o.org_id,
    month.month_start,
    (month.month_start + interval '1 month')::date - 1 as month_end,
    (month.month_start - interval '1 month')::date as before_start
  from warehouse.dim_org as o
  cross join lateral (
    select date_trunc('month', min(usage_date)::timestamp) as first_month
    from etl.held_day
    where org_key = o.org_key
  ) as held
  cross join lateral (
    select each::date as month_start
    from generate_series(
      held.first_month,
      (now() at time zone 'utc')::date::timestamp - interval '1 day',
      interval '1 month'
    ) as each
  ) as month
) as month
cross join lateral (
  select
    count(*) filter (where d.usage_date >= month.month_start) as all_days,
    count(*) filter (where d.usage_date >= month.month_start and d.endpoint = 'tokens') as tokens_days,
    count(*) filter (where d.usage_date >= month.month_start and d.endpoint = 'users') as users_days,
    count(*) filter (where d.usage_date < month.month_start and d.endpoint = 'users') as users_days_before
  from etl.held_day as d
  where d.org_key = month.org_key
    and d.usage_date between month.before_start and month.month_end
) as held
-- users who were active in the period or in the one before
cross join lateral (
  select
    count(*) filter (where seen.last_day >= month.month_start) as users,
    count(*) filter (where seen.last_day < month.month_start) as stopped_users
  from (
    select max(d.usage_date) as last_day
    from warehouse.user_day as d
    where d.org_key = month.org_key
      and d.usage_date between month.before_start and month.month_end
      and d.is_active
    group by d.user_key
  ) as seen
) as active
left join (
  select
    ever.org_key,
    ever.org_id,
    date_trunc('month', ever.first_day::timestamp)::date as month_start,
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
    date_trunc('month', ever.first_day::timestamp)::date
) as first
  on first.org_key = month.org_key
  and first.org_id = month.org_id
  and first.month_start = month.month_start
left join (
  select
    d.org_key,
    d.org_id,
    date_trunc('month', d.usage_date::timestamp)::date as month_start,
    sum(d.credits) as credits,
    sum(d.sessions) as sessions,
    sum(d.tool_calls) as tool_calls,
    sum(d.git_commits) as git_commits,
    sum(d.git_prs_created) as git_prs_created
  from bi.daily_overview as d
  group by
    d.org_key,
    d.org_id,
    date_trunc('month', d.usage_date::timestamp)::date
) as total
  on total.org_key = month.org_key
  and total.org_id = month.org_id
  and total.month_start = month.month_start;

comment on view bi.monthly_overview is 'One row per organization and calendar month, from that of the first day held to that of yesterday. Users are distinct users with an active day (/users): they cannot be added over months, and need not agree with the monthly_active_users of bi.daily_overview, which the platform counts over any 30 days. Everyone is new in an organization''s first 28 days. Other figures are sums over the days held: see is_complete.';
