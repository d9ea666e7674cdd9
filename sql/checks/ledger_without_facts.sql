-- The ledger decides that a day need not be read again. So every table must hold exactly as many rows of a day's
-- loaded slices as the ledger says. This check finds facts that somebody deleted or added by hand.
with other_table as materialized (
  -- only rows_in_ledger compares a table whose rows have no day
  select c.relname as table_name
  from pg_catalog.pg_class as c
  where c.relnamespace = 'warehouse'::regnamespace
    and etl.day_column(c.oid) <> 't.usage_date'
),
recorded as (
  select
    s.endpoint,
    s.usage_date,
    listed.table_name,
    sum(listed.row_count::bigint) as row_count
  from (
    select distinct endpoint
    from table_endpoint
  ) as known
  cross join etl.days_to_check($2, $3) as days
  cross join lateral (
    select
      endpoint,
      usage_date,
      table_rows,
      status
    from etl.slice
    where org_key = $1
      and endpoint = known.endpoint
      and usage_date between days.from_day and days.to_day
    -- as in etl.rows_to_check
    offset 0
  ) as s
  cross join lateral jsonb_each_text(s.table_rows) as listed (table_name, row_count)
  where s.status = 'loaded'
    and not exists (
      select
      from other_table
      where other_table.table_name = listed.table_name
    )
  group by
    s.endpoint,
    s.usage_date,
    listed.table_name
)
select
  recorded.endpoint,
  recorded.usage_date,
  format(
    '%s: the ledger says %s rows, the table holds %s',
    recorded.table_name, recorded.row_count, coalesce(r.row_count, 0)
  ) as detail
from recorded
left join etl.rows_per_day($1, $2, $3) as r
  on r.usage_date = recorded.usage_date
  and r.table_name = recorded.table_name
where recorded.row_count <> coalesce(r.row_count, 0);
