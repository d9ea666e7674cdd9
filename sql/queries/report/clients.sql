-- Through which clients do people of an organization ($1) work from one day ($2) to another ($3)? Users of a client on
-- the busiest day of each day, week or month ($4).
select
  date_trunc($4, usage_date::timestamp)::date as period,
  client_type,
  max(description) as description,
  max(daily_active_users)::text as busiest_day
from bi.adoption_by_client
where org_id = $1
  and usage_date between $2::date and $3::date
group by
  period,
  client_type
order by
  period,
  client_type
