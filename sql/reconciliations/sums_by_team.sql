-- Compares the sums that views use with the facts, each user in the team of the day. Changes through this program
-- make the sums outdated, and views stop using them; changes by hand may go unnoticed. Days without sums are not
-- compared.
with people as materialized (
  select is_as_summed
  from etl.people_digest
  where org_key = $1
),

-- like etl.summable_day, but only for one organization
day as materialized (
  select
    s.org_key,
    s.usage_date,
    people.is_as_summed and coalesce(d.loaded_at = s.loaded_at and d.has_sums, false) as is_summed
  from etl.slice as s
  cross join people
  left join etl.summed_day as d
    on d.org_key = $1
    and d.usage_date = s.usage_date
    and d.usage_date between $2 and $3
  where s.org_key = $1
    and s.endpoint = 'tokens'
    and s.status = 'loaded'
    and s.usage_date between $2 and $3
    and s.loaded_at is not null
),

member as materialized (
  select
    user_key,
    team,
    department,
    cost_center,
    valid_from,
    valid_to
  from warehouse.assigned_person
  where org_key = $1
    and valid_from <= $3
    and valid_to >= $2
),

sum_of_team as (
  select
    part.usage_date,
    sum(part.credits) as difference
  from (
    select
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
    where c.org_key = $1
      and c.usage_date between $2 and $3
      and day.is_summed
    union all
    select
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
    left join member as t
      on t.user_key = f.user_key
      and f.usage_date between t.valid_from and t.valid_to
    where f.org_key = $1
      and f.usage_date between $2 and $3
      and day.is_summed
  ) as part
  group by
    part.usage_date,
    part.model_key,
    part.team,
    part.department,
    part.cost_center
)

select
  'tokens' as endpoint,
  day.usage_date,
  0 as expected,
  coalesce(wrong.sums, 0) as actual,
  case when wrong.sums > 0 then 'contradiction' else 'ok' end as verdict,
  'sums by team and model in etl.summed_credits that are not those of the facts' as detail
from day
left join (
  select
    usage_date,
    count(*) as sums
  from sum_of_team
  where difference <> 0
  group by usage_date
) as wrong on wrong.usage_date = day.usage_date;
