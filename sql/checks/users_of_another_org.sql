-- A user belongs to one organization. A fact that points to a user of another organization would show the work of one
-- customer to another, and a foreign key of one column cannot forbid that. The same holds for all dimensions of one
-- organization; the catalog says which they are.
select
  e.endpoint,
  o.usage_date,
  format('%s: %s rows have a %s of another organization', o.table_name, o.row_count, o.column_name) as detail
from etl.wrong_keys($1, $2, $3, of_another_org => true) as o
left join table_endpoint as e on e.table_name = o.table_name;
