-- Facts that the ledger does not know: of a day without a ledger row, of a day that is empty, pending or failed, or
-- in a table that a loaded day does not list. No load would correct or delete them.
select
  e.endpoint,
  r.usage_date,
  format(
    '%s holds %s rows, but %s',
    r.table_name,
    r.row_count,
    case
      when slices.statuses is null then 'the ledger has no row for the day'
      when 'loaded' = any(slices.statuses) then 'the ledger does not list the table for the day'
      else format('the ledger calls the day %s', slices.statuses[1])
    end
  ) as detail
from etl.rows_per_day($1, $2, $3) as r
left join table_endpoint as e on e.table_name = r.table_name
cross join lateral (
  select
    array_agg(s.status order by s.status) as statuses,
    bool_or(s.status = 'loaded' and s.table_rows -> r.table_name is not null) as is_listed
  from etl.slice as s
  where s.org_key = $1
    and s.endpoint = e.endpoint
    and s.usage_date = r.usage_date
) as slices
where e.is_daily is distinct from false
  and slices.is_listed is distinct from true;
