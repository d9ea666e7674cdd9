-- Whose credits are limited, and how much of the limit is used this month? Credits as /tokens charges them.
create or replace view bi_people.credit_limits as
select
  l.org_key,
  o.org_id,
  l.user_email,
  l.limit_credits,
  l.changed_at,
  used.credits as credits_this_month,
  (used.credits / nullif(l.limit_credits, 0))::double precision as used_share
from warehouse.credit_limit as l
join warehouse.dim_org as o on o.org_key = l.org_key
left join (
  select
    u.org_key,
    lower(u.user_email) as user_email,
    sum(f.billable_tokens) as credits
  from warehouse.fact_token_user_daily as f
  join warehouse.dim_user as u on u.user_key = f.user_key
  where f.usage_date >= date_trunc('month', now() at time zone 'utc')::date
  group by
    u.org_key,
    lower(u.user_email)
) as used
  on used.org_key = l.org_key
  and used.user_email = lower(l.user_email);

comment on view bi_people.credit_limits is 'One row per organization and e-mail whose credit limit was set or removed through this program. Limits that were set elsewhere are not known. Personal data.';
