-- All days. A query that joins other views to it also shows the days without rows.
create or replace view bi.calendar as
select
  d.date_day,
  d.year,
  d.quarter,
  d.month,
  d.month_name,
  d.iso_year,
  d.iso_week,
  d.day_of_month,
  d.day_of_week,
  d.day_name,
  d.is_weekend,
  d.week_start,
  d.month_start
from warehouse.dim_date as d
where d.date_day >= date '2026-01-01'
  and d.date_day <= make_date(extract(year from now() at time zone 'utc')::integer + 1, 12, 31);

comment on view bi.calendar is 'One row per calendar day, from 2026-01-01 to the end of next year (UTC).';
