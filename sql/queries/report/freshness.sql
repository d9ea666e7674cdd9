-- How far does the data of an organization ($1) reach, and how many days are missing from one ($2) to another ($3)?
select
  f.endpoint,
  f.first_day,
  f.last_day,
  (
    select count(*)
    from bi.data_gaps as g
    where g.org_id = f.org_id
      and g.endpoint = f.endpoint
      and g.usage_date between $2::date and $3::date
  )::text as days_missing,
  coalesce(f.rows_rejected, 0)::text as rows_rejected,
  to_char(f.last_loaded_at at time zone 'utc', 'YYYY-MM-DD HH24:MI') as last_loaded_at
from bi.data_freshness as f
where f.org_id = $1
order by f.endpoint
