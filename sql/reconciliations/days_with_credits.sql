-- Days on which one of /users and /tokens has credits, and the other has no row at all. Compares only days that both
-- answered: a day that was never read or that failed proves nothing, and the platform may count a pending yesterday
-- later.
with answered as (
  select
    endpoint,
    usage_date
  from etl.slice
  where org_key = $1
    and endpoint in ('tokens', 'users')
    and usage_date between $2 and $3
    and (
      status in ('loaded', 'empty')
      or (
        status = 'pending'
        and cardinality(answered_empty_by) > 0
        and usage_date < (now() at time zone 'utc')::date - 1
      )
    )
  group by
    endpoint,
    usage_date
),
by_tokens as (
  select
    usage_date,
    sum(greatest(billable_tokens, 0)) as credits
  from warehouse.fact_token_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
),
by_users as (
  select
    usage_date,
    sum(greatest(billable_tokens, 0)) as credits
  from warehouse.fact_user_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
)
select
  case
    when by_tokens.usage_date is null then 'tokens'
    when by_users.usage_date is null then 'users'
  end as endpoint,
  usage_date,
  greatest(by_tokens.credits, by_users.credits) as expected,
  case
    when by_tokens.usage_date is null or by_users.usage_date is null then 0
    else greatest(by_tokens.credits, by_users.credits)
  end as actual,
  case
    when by_tokens.usage_date is null or by_users.usage_date is null then 'contradiction'
    else 'ok'
  end as verdict,
  case
    when by_tokens.usage_date is null then 'credits of /users on a day of which /tokens has no row'
    when by_users.usage_date is null then 'credits of /tokens on a day of which /users has no row'
  end as detail
from answered as tokens
join answered as users using (usage_date)
left join by_tokens using (usage_date)
left join by_users using (usage_date)
where tokens.endpoint = 'tokens'
  and users.endpoint = 'users'
  and greatest(by_tokens.credits, by_users.credits) > 0;
