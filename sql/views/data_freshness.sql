-- How far does the data reach? Counts days, not slices, because several slices may have the same day.
create or replace view bi.data_freshness as
select
  o.org_key,
  o.org_id,
  wanted.endpoint,
  s.first_day,
  s.last_day,
  (now() at time zone 'utc')::date - 1 - s.last_day as days_behind,
  s.days_loaded,
  s.days_empty,
  s.days_pending,
  s.days_failed,
  (
    select count(*)
    from etl.missing_day as gap
    where gap.org_key = o.org_key
      and gap.endpoint = wanted.endpoint
  ) as days_missing,
  s.rows_rejected,
  s.last_fetched_at,
  s.last_loaded_at,
  s.days_refused
from warehouse.dim_org as o
cross join (
  values ('tokens'), ('tools'), ('activity'), ('productivity'), ('users')
) as wanted (endpoint)
cross join lateral (
  select
    min(s.usage_date) filter (where s.status in ('loaded', 'empty')) as first_day,
    max(s.usage_date) filter (where s.status in ('loaded', 'empty')) as last_day,
    count(distinct s.usage_date) filter (where s.status = 'loaded') as days_loaded,
    count(distinct s.usage_date) filter (where s.status = 'empty') as days_empty,
    count(distinct s.usage_date) filter (where s.status = 'pending') as days_pending,
    count(distinct s.usage_date) filter (where s.status = 'failed') as days_failed,
    count(distinct s.usage_date) filter (where s.refused_at is not null) as days_refused,
    sum(s.rejected_count) as rows_rejected,
    max(s.fetched_at) as last_fetched_at,
    max(s.loaded_at) as last_loaded_at
  from etl.slice as s
  where s.org_key = o.org_key
    and s.endpoint = wanted.endpoint
) as s;

comment on view bi.data_freshness is 'One row per organization and daily endpoint, also for one that was never asked. Days held are those loaded or believed to be empty.';
