-- The credits of a day's users, summed, against the credits of the day. The platform may list fewer users than
-- there were; those listed can never have consumed more than all.
with parts as (
  select
    usage_date,
    sum(billable_tokens) as billable_tokens
  from warehouse.fact_token_user_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
)
select
  'tokens' as endpoint,
  whole.usage_date,
  whole.billable_tokens as expected,
  coalesce(parts.billable_tokens, 0) as actual,
  case
    -- the platform adds up in floating point: a part in 10^12 is not a difference
    when parts.billable_tokens > whole.billable_tokens * (1 + 1e-12) then 'contradiction'
    when coalesce(parts.billable_tokens, 0) < whole.billable_tokens * (1 - 1e-12) then 'remainder'
    else 'ok'
  end as verdict,
  'billable_tokens of all users' as detail
from warehouse.fact_token_daily as whole
left join parts on parts.usage_date = whole.usage_date
where whole.org_key = $1
  and whole.usage_date between $2 and $3
  and whole.billable_tokens is not null;
