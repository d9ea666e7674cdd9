-- Every key of a fact must be in its dimension. From Postgres 18 on the foreign keys are not enforced, which makes
-- loads fast, so this check replaces them. It covers every declared foreign key of the schema warehouse.
select
  e.endpoint,
  o.usage_date,
  format('%s: %s rows whose %s is not in %s', o.table_name, o.row_count, o.column_name, o.dimension) as detail
from etl.wrong_keys($1, $2, $3, of_another_org => false) as o
left join table_endpoint as e on e.table_name = o.table_name;
