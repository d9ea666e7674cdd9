-- Counts, credits, averages and shares start at zero. A negative one is a fault of the source or of the load, and
-- nobody would see it in a sum.
select
  e.endpoint,
  n.usage_date,
  format('%s: %s rows have a negative %s', n.table_name, n.row_count, n.column_name) as detail
from etl.negative_measures($1, $2, $3) as n
left join table_endpoint as e on e.table_name = n.table_name;
