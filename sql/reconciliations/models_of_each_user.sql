-- Compares the sum of the credits of a user's models with the credits of the user on that day. Models that are not
-- listed leave a remainder.
with parts as (
  select
    usage_date,
    user_key,
    sum(billable_tokens) as billable_tokens
  from warehouse.fact_token_user_model_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by
    usage_date,
    user_key
)
select
  'tokens' as endpoint,
  coalesce(whole.usage_date, parts.usage_date) as usage_date,
  whole.billable_tokens as expected,
  coalesce(parts.billable_tokens, 0) as actual,
  judged.verdict,
  case judged.verdict
    when 'contradiction' then (
      select format('billable_tokens of all models of user %s', u.user_id)
      from warehouse.dim_user as u
      where u.user_key = coalesce(whole.user_key, parts.user_key)
    )
    else 'billable_tokens of all models of a user'
  end as detail
from (
  select
    usage_date,
    user_key,
    billable_tokens
  from warehouse.fact_token_user_daily
  where org_key = $1
    and usage_date between $2 and $3
) as whole
full join parts
  on parts.usage_date = whole.usage_date
  and parts.user_key = whole.user_key
cross join lateral (
  select
    case
      -- models come inside the entry of their user, so they must not exist without the user
      when whole.user_key is null then 'contradiction'
      -- the platform adds in floating point: a difference below 1 in 10^12 does not count
      when parts.billable_tokens > whole.billable_tokens * (1 + 1e-12) then 'contradiction'
      when coalesce(parts.billable_tokens, 0) < whole.billable_tokens * (1 - 1e-12) then 'remainder'
      else 'ok'
    end as verdict
) as judged
where whole.billable_tokens is not null
  or whole.user_key is null;
