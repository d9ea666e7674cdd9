-- Rows that tables hold, against the rows that the ledger says were loaded: per table, and once more for the table
-- that holds the endpoint's own rows. A difference means that somebody else wrote to the facts or to the ledger.
with stored as (
  select
    table_name,
    usage_date,
    row_count
  from etl.rows_per_day()
  where org_key = $1
    and usage_date between $2 and $3
),
slices as (
  select
    endpoint,
    usage_date,
    row_count,
    table_rows
  from etl.slice
  where org_key = $1
    and usage_date between $2 and $3
    -- nothing was ever loaded of a slice that has not listed a table
    and table_rows <> '{}'
),
recorded as (
  select
    slices.endpoint,
    slices.usage_date,
    listed.table_name,
    sum(listed.row_count::numeric) as row_count,
    'etl.slice.table_rows' as source
  from slices
  cross join lateral jsonb_each_text(slices.table_rows) as listed (table_name, row_count)
  group by
    slices.endpoint,
    slices.usage_date,
    listed.table_name
  union all
  select
    slices.endpoint,
    slices.usage_date,
    main.table_name,
    sum(slices.row_count),
    'etl.slice.row_count'
  from slices
  join (
    values
      ('tokens', 'fact_token_daily'),
      ('tools', 'fact_tool_daily'),
      ('activity', 'fact_activity_daily'),
      ('productivity', 'fact_productivity_daily'),
      ('users', 'fact_user_daily')
  ) as main (endpoint, table_name) on main.endpoint = slices.endpoint
  group by
    slices.endpoint,
    slices.usage_date,
    main.table_name
)
select
  recorded.endpoint,
  recorded.usage_date,
  recorded.row_count as expected,
  coalesce(stored.row_count, 0)::numeric as actual,
  case when recorded.row_count = coalesce(stored.row_count, 0) then 'ok' else 'contradiction' end as verdict,
  format('rows of %s as in %s', recorded.table_name, recorded.source) as detail
from recorded
left join stored
  on stored.table_name = recorded.table_name
  and stored.usage_date = recorded.usage_date;
