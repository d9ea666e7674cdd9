-- How far does the data reach, and where are holes? A day counts as held when it is loaded, or when the platform has
-- answered that there is nothing.
create or replace view bi.data_freshness as
select
  s.org_key,
  o.org_id,
  s.endpoint,
  min(s.usage_date) filter (where s.status in ('loaded', 'empty')) as first_day,
  max(s.usage_date) filter (where s.status in ('loaded', 'empty')) as last_day,
  (now() at time zone 'utc')::date - 1 - max(s.usage_date) filter (where s.status in ('loaded', 'empty'))
    as days_behind,
  count(distinct s.usage_date) filter (where s.status = 'loaded') as days_loaded,
  count(distinct s.usage_date) filter (where s.status = 'empty') as days_empty,
  count(distinct s.usage_date) filter (where s.status = 'pending') as days_pending,
  count(distinct s.usage_date) filter (where s.status = 'failed') as days_failed,
  max(s.usage_date) filter (where s.status in ('loaded', 'empty'))
    - min(s.usage_date) filter (where s.status in ('loaded', 'empty'))
    + 1
    - count(distinct s.usage_date) filter (where s.status in ('loaded', 'empty')) as days_missing,
  sum(s.rejected_count)::bigint as rows_rejected,
  max(s.fetched_at) as last_fetched_at,
  max(s.loaded_at) as last_loaded_at
from etl.slice as s
join warehouse.dim_org as o on o.org_key = s.org_key
where s.usage_date is not null
group by
  s.org_key,
  o.org_id,
  s.endpoint;

comment on view bi.data_freshness is 'One row per organization and daily endpoint, from the slice ledger.';
comment on column bi.data_freshness.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.data_freshness.org_id is 'Organization id.';
comment on column bi.data_freshness.endpoint is 'Endpoint: tokens, tools, activity, productivity or users.';
comment on column bi.data_freshness.first_day is 'Earliest UTC day held; null when none is.';
comment on column bi.data_freshness.last_day is 'Latest UTC day held; null when none is.';
comment on column bi.data_freshness.days_behind is 'Days from last_day to yesterday (UTC): 0 is up to date.';
comment on column bi.data_freshness.days_loaded is 'Days with data.';
comment on column bi.data_freshness.days_empty is 'Days for which the platform has nothing.';
comment on column bi.data_freshness.days_pending is 'Days that the platform answered without rows, which was not believed yet.';
comment on column bi.data_freshness.days_failed is 'Days of which nothing is held because the last try failed.';
comment on column bi.data_freshness.days_missing is 'Days between first_day and last_day that are neither loaded nor empty.';
comment on column bi.data_freshness.rows_rejected is 'Rows of the platform that could not be loaded.';
comment on column bi.data_freshness.last_fetched_at is 'When the platform last answered.';
comment on column bi.data_freshness.last_loaded_at is 'When stored rows last changed.';
