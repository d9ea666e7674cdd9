-- Counts, credits, averages and shares start at zero. A negative one is a fault of the source or of the load,
-- and disappears in a sum where nobody sees it.
select
  n.org_key,
  e.endpoint,
  n.usage_date,
  format('%s: %s rows have a negative %s', n.table_name, n.row_count, n.column_name) as detail
from etl.negative_measures() as n
left join etl.table_endpoint as e on e.table_name = n.table_name;
