-- Who consumes the credits? Figures of the token endpoint, which charges credits.
create or replace view bi.credits_by_user as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  u.user_id_shown as user_id,
  u.user_label,
  f.billable_tokens as credits,
  (f.billable_tokens / nullif(total.billable_tokens, 0))::double precision as share_of_day
from warehouse.fact_token_user_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_user as u on u.user_key = f.user_key
left join warehouse.fact_token_daily as total
  on total.org_key = f.org_key
  and total.usage_date = f.usage_date;

comment on view bi.credits_by_user is 'One row per organization, UTC day and user with credits, as /tokens charges them. The credits of bi.user_activity come from /users, and may differ.';
