-- A user counts once in the day and once in every client used (platform-api.md §4.2). So no client has more users
-- than the day, and the sum over all clients is at least the day's number; a smaller sum means that a client is not
-- listed.
with parts as (
  select
    f.usage_date,
    c.client_type,
    f.daily_active_users
  from warehouse.fact_activity_client_daily as f
  left join warehouse.dim_client as c on c.client_key = f.client_key
  where f.org_key = $1
    and f.usage_date between $2 and $3
),
whole as (
  select
    usage_date,
    daily_active_users
  from warehouse.fact_activity_daily
  where org_key = $1
    and usage_date between $2 and $3
    and daily_active_users is not null
)
select
  'activity' as endpoint,
  whole.usage_date,
  whole.daily_active_users::numeric as expected,
  parts.daily_active_users::numeric as actual,
  case when parts.daily_active_users > whole.daily_active_users then 'contradiction' else 'ok' end as verdict,
  format('daily_active_users of client %s', parts.client_type) as detail
from whole
join parts on parts.usage_date = whole.usage_date
where parts.daily_active_users is not null
union all
select
  'activity',
  whole.usage_date,
  whole.daily_active_users::numeric,
  coalesce(sum(parts.daily_active_users), 0),
  case
    when coalesce(sum(parts.daily_active_users), 0) < whole.daily_active_users then 'remainder'
    else 'ok'
  end,
  'daily_active_users of all clients'
from whole
left join parts on parts.usage_date = whole.usage_date
group by
  whole.usage_date,
  whole.daily_active_users;
