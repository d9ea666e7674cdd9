-- Which days should be held, and are not? The days that any backfill asked for, up to yesterday.
create or replace view etl.missing_day as
select
  o.org_key,
  missing.endpoint,
  missing.usage_date,
  coalesce(s.status, 'not_read') as reason,
  s.error_shown as error
from warehouse.dim_org as o
cross join lateral (
  select
    asked.endpoint,
    asked.first_day + n as usage_date
  from etl.asked_range as asked
  cross join lateral generate_series(0, (now() at time zone 'utc')::date - 1 - asked.first_day) as n
  where asked.org_key = o.org_key
    and asked.endpoint in ('tokens', 'tools', 'activity', 'productivity', 'users')
  except
  select
    s.endpoint,
    s.usage_date
  from etl.slice as s
  where s.org_key = o.org_key
    and s.status in ('loaded', 'empty')
) as missing
left join lateral (
  select
    s.status,
    s.error_shown
  from etl.slice as s
  where s.org_key = o.org_key
    and s.endpoint = missing.endpoint
    and s.usage_date = missing.usage_date
  order by s.slice_key
  limit 1
) as s on true;

comment on view etl.missing_day is 'One row per organization, daily endpoint and UTC day that was asked for and is not held.';
comment on column etl.missing_day.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.missing_day.endpoint is 'Endpoint: tokens, tools, activity, productivity or users.';
comment on column etl.missing_day.usage_date is 'UTC day.';
comment on column etl.missing_day.reason is 'not_read, pending or failed.';
comment on column etl.missing_day.error is 'Why the day failed; null otherwise.';
