-- Compares the number of rows of /users with the daily active users of /activity. /users may leave out users, but
-- cannot list more than there were.
with days as (
  select activity.usage_date
  from etl.slice as activity
  join etl.slice as users
    on users.org_key = activity.org_key
    and users.usage_date = activity.usage_date
    and users.endpoint = 'users'
    and users.usage_date between $2 and $3
    and users.status in ('loaded', 'empty')
  where activity.org_key = $1
    and activity.endpoint = 'activity'
    and activity.status = 'loaded'
    and activity.usage_date between $2 and $3
),
parts as (
  select
    usage_date,
    count(*)::numeric as user_rows
  from warehouse.fact_user_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
)
select
  null::text as endpoint,
  whole.usage_date,
  whole.daily_active_users::numeric as expected,
  coalesce(parts.user_rows, 0) as actual,
  case
    when parts.user_rows > whole.daily_active_users then 'contradiction'
    when coalesce(parts.user_rows, 0) < whole.daily_active_users then 'remainder'
    else 'ok'
  end as verdict,
  'rows of /users within daily_active_users of /activity' as detail
from warehouse.fact_activity_daily as whole
join days on days.usage_date = whole.usage_date
left join parts on parts.usage_date = whole.usage_date
where whole.org_key = $1
  and whole.usage_date between $2 and $3
  and whole.daily_active_users is not null;
