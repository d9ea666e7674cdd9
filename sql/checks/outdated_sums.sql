-- Sums that views take for the facts must be those of the facts, each user counted in the team of the day. They are put
-- aside by themselves when days or people change through the program; by hand one can change what it does not see.
with day as materialized (
  select
    org_key,
    usage_date
  from etl.summable_day
  where is_summed
),

difference as (
  select
    part.org_key,
    part.usage_date
  from (
    select
      c.org_key,
      c.usage_date,
      c.model_key,
      c.team,
      c.department,
      c.cost_center,
      c.credits
    from etl.summed_credits as c
    join day
      on day.org_key = c.org_key
      and day.usage_date = c.usage_date
    union all
    select
      f.org_key,
      f.usage_date,
      f.model_key,
      t.team,
      t.department,
      t.cost_center,
      -f.billable_tokens
    from warehouse.fact_token_user_model_daily as f
    join day
      on day.org_key = f.org_key
      and day.usage_date = f.usage_date
    left join warehouse.assigned_team as t
      on t.org_key = f.org_key
      and t.user_key = f.user_key
      and f.usage_date between t.valid_from and t.valid_to
  ) as part
  group by
    part.org_key,
    part.usage_date,
    part.model_key,
    part.team,
    part.department,
    part.cost_center
  having sum(part.credits) <> 0
)

select
  org_key,
  'tokens' as endpoint,
  usage_date,
  format('etl.summed_credits: %s sums by model and team are not those of the facts', count(*)) as detail
from difference
group by
  org_key,
  usage_date;
