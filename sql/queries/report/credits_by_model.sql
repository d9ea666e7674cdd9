-- Which models consume the credits of an organization ($1) from one day ($2) to another ($3), by day, week or month ($4)?
select
  date_trunc($4, usage_date::timestamp)::date as period,
  model_id,
  model_tier,
  sum(credits)::text as credits
from bi.credits_by_model
where org_id = $1
  and usage_date between $2::date and $3::date
group by
  period,
  model_id,
  model_tier
order by
  period,
  model_id,
  model_tier
