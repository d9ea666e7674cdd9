-- The platform serves days up to yesterday in UTC. A later day in a fact means that a day was shifted, for
-- example by a time zone.
select
  e.endpoint,
  r.usage_date,
  format('%s: %s rows are later than yesterday (UTC)', r.table_name, r.row_count) as detail
from etl.rows_per_day($1, $2, $3) as r
left join table_endpoint as e on e.table_name = r.table_name
where r.usage_date >= (now() at time zone 'utc')::date;
