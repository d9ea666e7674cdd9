-- Whose credits are limited, and how much of the limit is used this month? Credits as /tokens charges them.
create or replace view bi_people.credit_limits as
select
  o.org_key,
  o.org_id,
  of_user.*
from warehouse.dim_org as o
cross join lateral (
  -- a CTE, as in bi.computer_status
  with used as (
    select
      lower(u.user_email) as user_email,
      sum(f.billable_tokens) as credits
    from warehouse.fact_token_user_daily as f
    join warehouse.dim_user as u
      on u.org_key = o.org_key
      and u.user_key = f.user_key
    where f.org_key = o.org_key
      and f.usage_date >= date_trunc('month', now() at time zone 'utc')::date
    group by lower(u.user_email)
  )
  select
    l.user_email,
    l.limit_credits,
    l.changed_at,
    used.credits as credits_this_month,
    (used.credits / nullif(l.limit_credits, 0))::double precision as used_share
  from warehouse.credit_limit as l
  left join used on used.user_email = lower(l.user_email)
  where l.org_key = o.org_key
) as of_user;

comment on view bi_people.credit_limits is 'One row per organization and e-mail whose credit limit was set or removed through this program. Limits that were set elsewhere are not known. Personal data.';
