-- May a query read the sums of a day instead of its facts? Only if the facts of the day and the teams have not changed.
-- Both are compared in the query that reads the sums, so that no outdated sum is ever shown.
create or replace view etl.summable_day as
-- computed once for all days
with people as materialized (
  select
    org_key,
    is_as_summed
  from etl.people_digest
)

select
  s.org_key,
  s.usage_date,
  s.loaded_at,
  p.is_as_summed and coalesce(d.loaded_at = s.loaded_at, false) as is_summed
from etl.slice as s
join people as p on p.org_key = s.org_key
left join etl.summed_day as d
  on d.org_key = s.org_key
  and d.usage_date = s.usage_date
where s.endpoint = 'tokens'
  and s.status = 'loaded'
  and s.usage_date is not null
  and s.loaded_at is not null;

comment on view etl.summable_day is 'One row per organization and UTC day whose credits can be summed by team.';
comment on column etl.summable_day.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.summable_day.usage_date is 'UTC day.';
comment on column etl.summable_day.loaded_at is 'When the stored rows of the day last changed.';
comment on column etl.summable_day.is_summed is 'Whether etl.summed_credits has the day as it is now.';
