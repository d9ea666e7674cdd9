-- The ledger is what decides that a day need not be fetched again. So for the loaded slices of a day every table must
-- hold exactly the rows that the ledger says: somebody who deletes or adds facts by hand is found here.
with recorded as (
  select
    s.org_key,
    s.endpoint,
    s.usage_date,
    listed.table_name,
    sum(listed.row_count::bigint) as row_count
  from etl.slice as s
  cross join lateral jsonb_each_text(s.table_rows) as listed (table_name, row_count)
  where s.status = 'loaded'
    and s.usage_date is not null
    -- a table whose rows do not say the day is compared by rows_in_ledger only
    and not exists (
      select
      from pg_catalog.pg_class as c
      where c.relnamespace = 'warehouse'::regnamespace
        and c.relname = listed.table_name
        and etl.day_column(c.oid) <> 't.usage_date'
    )
  group by
    s.org_key,
    s.endpoint,
    s.usage_date,
    listed.table_name
)
select
  recorded.org_key,
  recorded.endpoint,
  recorded.usage_date,
  format(
    '%s: the ledger says %s rows, the table holds %s',
    recorded.table_name, recorded.row_count, coalesce(r.row_count, 0)
  ) as detail
from recorded
left join etl.rows_per_day() as r
  on r.org_key = recorded.org_key
  and r.usage_date = recorded.usage_date
  and r.table_name = recorded.table_name
where recorded.row_count <> coalesce(r.row_count, 0);
