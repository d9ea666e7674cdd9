-- A user who was active on a day was active in the 7 days and in the 30 days that end with it (platform-api.md §2.5).
select
  'activity' as endpoint,
  f.usage_date,
  figure.expected::numeric as expected,
  figure.actual::numeric as actual,
  case when figure.actual > figure.expected then 'contradiction' else 'ok' end as verdict,
  figure.detail
from warehouse.fact_activity_daily as f
cross join lateral (
  values
    (f.weekly_active_users, f.daily_active_users, 'daily_active_users within weekly_active_users'),
    (f.monthly_active_users, f.weekly_active_users, 'weekly_active_users within monthly_active_users')
) as figure (expected, actual, detail)
where f.org_key = $1
  and f.usage_date between $2 and $3
  and figure.expected is not null
  and figure.actual is not null;
