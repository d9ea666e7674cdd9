-- Usage analytics begin on 14 January 2026. An earlier day in a fact means that a day was parsed or shifted wrongly.
select
  e.endpoint,
  r.usage_date,
  format('%s: %s rows are earlier than 2026-01-14', r.table_name, r.row_count) as detail
from etl.rows_per_day($1, $2, $3) as r
left join table_endpoint as e on e.table_name = r.table_name
where r.usage_date < date '2026-01-14'
  -- sources that are not read by day may have earlier days
  and e.is_daily is distinct from false;
