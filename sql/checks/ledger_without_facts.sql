-- The ledger is what decides that a day need not be fetched again. So for a loaded slice every table must hold
-- exactly the rows that the ledger says: somebody who deletes or adds facts by hand is found here.
select
  s.org_key,
  s.endpoint,
  s.usage_date,
  format(
    '%s: the ledger says %s rows, the table holds %s',
    listed.table_name, listed.row_count, coalesce(r.row_count, 0)
  ) as detail
from etl.slice as s
cross join lateral jsonb_each_text(s.table_rows) as listed (table_name, row_count)
left join etl.rows_per_day() as r
  on r.org_key = s.org_key
  and r.usage_date = s.usage_date
  and r.table_name = listed.table_name
where s.status = 'loaded'
  and s.usage_date is not null
  and listed.row_count::bigint <> coalesce(r.row_count, 0);
