-- Which days should be held, and are not? The days that any backfill asked for, up to yesterday.
create or replace view etl.missing_day as
select
  asked.org_key,
  asked.endpoint,
  day.usage_date,
  coalesce(s.status, 'not_read') as reason,
  s.error_shown as error
from etl.asked_range as asked
cross join lateral (
  select asked.first_day + n as usage_date
  from generate_series(0, (now() at time zone 'utc')::date - 1 - asked.first_day) as n
) as day
left join etl.held_day as held
  on held.org_key = asked.org_key
  and held.endpoint = asked.endpoint
  and held.usage_date = day.usage_date
left join lateral (
  select
    s.status,
    s.error_shown
  from etl.slice as s
  where s.org_key = asked.org_key
    and s.endpoint = asked.endpoint
    and s.usage_date = day.usage_date
  order by s.slice_key
  limit 1
) as s on true
where asked.endpoint in ('tokens', 'tools', 'activity', 'productivity', 'users')
  and held.usage_date is null;

comment on view etl.missing_day is 'One row per organization, daily endpoint and UTC day that was asked for and is not held.';
comment on column etl.missing_day.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.missing_day.endpoint is 'Endpoint: tokens, tools, activity, productivity or users.';
comment on column etl.missing_day.usage_date is 'UTC day.';
comment on column etl.missing_day.reason is 'not_read, pending or failed.';
comment on column etl.missing_day.error is 'Why the day failed; null otherwise.';
