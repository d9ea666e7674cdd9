-- Facts that the ledger does not account for: of a day that it has no row for, of a day that it calls empty, or
-- in a table that it does not list for a loaded day. Nothing would ever correct or delete them.
select
  r.org_key,
  e.endpoint,
  r.usage_date,
  format(
    '%s holds %s rows, but %s',
    r.table_name,
    r.row_count,
    case
      when s.status = 'empty' then 'the ledger calls the day empty'
      when s.status = 'loaded' then 'the ledger does not list the table for the day'
      else 'the ledger has no row for the day'
    end
  ) as detail
from etl.rows_per_day() as r
left join etl.table_endpoint as e on e.table_name = r.table_name
left join etl.slice as s
  on s.org_key = r.org_key
  and s.endpoint = e.endpoint
  and s.usage_date = r.usage_date
where e.is_daily is distinct from false
  and (
    s.status is null
    or s.status = 'empty'
    or (s.status = 'loaded' and s.table_rows -> r.table_name is null)
  );
