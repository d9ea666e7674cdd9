-- Compares the credits of a user on a day in /users and /tokens. Either may leave out users, which leaves a
-- remainder; if both list a user, they must agree.
with days as (
  select tokens.usage_date
  from etl.slice as tokens
  join etl.slice as users
    on users.org_key = tokens.org_key
    and users.usage_date = tokens.usage_date
    and users.endpoint = 'users'
    and users.usage_date between $2 and $3
    and users.status in ('loaded', 'empty')
  where tokens.org_key = $1
    and tokens.endpoint = 'tokens'
    and tokens.status in ('loaded', 'empty')
    and tokens.usage_date between $2 and $3
),
by_users as (
  select
    f.usage_date,
    f.user_key,
    f.billable_tokens
  from warehouse.fact_user_daily as f
  join days on days.usage_date = f.usage_date
  where f.org_key = $1
    and f.usage_date between $2 and $3
),
by_tokens as (
  select
    f.usage_date,
    f.user_key,
    f.billable_tokens
  from warehouse.fact_token_user_daily as f
  join days on days.usage_date = f.usage_date
  where f.org_key = $1
    and f.usage_date between $2 and $3
)
select
  null::text as endpoint,
  coalesce(by_users.usage_date, by_tokens.usage_date) as usage_date,
  coalesce(by_users.billable_tokens, by_tokens.billable_tokens) as expected,
  case when by_users.user_key is null then 0 else coalesce(by_tokens.billable_tokens, 0) end as actual,
  judged.verdict,
  case judged.verdict
    when 'contradiction' then (
      select format('billable_tokens of user %s: expected as /users, actual as /tokens has it', u.user_id)
      from warehouse.dim_user as u
      where u.user_key = by_users.user_key
    )
    when 'remainder' then format(
      'billable_tokens of users that only %s lists',
      case when by_users.user_key is null then '/tokens' else '/users' end
    )
  end as detail
from by_users
full join by_tokens
  on by_tokens.usage_date = by_users.usage_date
  and by_tokens.user_key = by_users.user_key
cross join lateral (
  select
    case
      when by_users.user_key is null or by_tokens.user_key is null then
        case
          when coalesce(by_users.billable_tokens, by_tokens.billable_tokens) > 0 then 'remainder'
          else 'ok'
        end
      -- the platform adds in floating point: a difference below 1 in 10^12 does not count
      when
        abs(by_users.billable_tokens - by_tokens.billable_tokens)
        > greatest(by_users.billable_tokens, by_tokens.billable_tokens) * 1e-12
        then 'contradiction'
      else 'ok'
    end as verdict
) as judged
where coalesce(by_users.billable_tokens, by_tokens.billable_tokens) is not null;
