-- May a query read the sums of a day instead of its facts? Only if the facts of the day and the teams have not changed.
-- Both are compared in the query that reads the sums, so that no outdated sum is ever shown.
create or replace view etl.summable_day as
select
  o.org_key,
  day.usage_date,
  day.loaded_at,
  people.is_as_summed and day.is_as_loaded and day.has_sums as is_summed,
  people.is_as_summed and day.is_as_loaded as is_done
from warehouse.dim_org as o
cross join lateral (
  select is_as_summed
  from etl.people_digest
  where org_key = o.org_key
  -- computed once for all days
  offset 0
) as people
cross join lateral (
  select
    s.usage_date,
    s.loaded_at,
    coalesce(d.loaded_at = s.loaded_at, false) as is_as_loaded,
    coalesce(d.has_sums, false) as has_sums
  from etl.slice as s
  left join etl.summed_day as d
    on d.org_key = o.org_key
    and d.usage_date = s.usage_date
  where s.org_key = o.org_key
    and s.endpoint = 'tokens'
    and s.status = 'loaded'
    and s.usage_date is not null
    and s.loaded_at is not null
) as day;

comment on view etl.summable_day is 'One row per organization and UTC day whose credits can be summed by team.';
comment on column etl.summable_day.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.summable_day.usage_date is 'UTC day.';
comment on column etl.summable_day.loaded_at is 'When the stored rows of the day last changed.';
comment on column etl.summable_day.is_summed is 'Whether etl.summed_credits has the day as it is now.';
comment on column etl.summable_day.is_done is 'Whether etl.summed_day has the day as it is now, with sums or without.';
