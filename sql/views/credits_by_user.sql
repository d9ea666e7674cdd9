-- Who consumes the credits? Figures of the token endpoint, which charges credits; users appear by key and masked
-- e-mail.
create or replace view bi.credits_by_user as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  f.user_key,
  bi.masked_email(u.user_email) as masked_email,
  f.billable_tokens as credits,
  (f.billable_tokens / nullif(total.billable_tokens, 0))::double precision as share_of_day
from warehouse.fact_token_user_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_user as u on u.user_key = f.user_key
left join warehouse.fact_token_daily as total
  on total.org_key = f.org_key
  and total.usage_date = f.usage_date;

comment on view bi.credits_by_user is 'One row per organization, day and user with credits.';
comment on column bi.credits_by_user.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.credits_by_user.org_id is 'Organization id.';
comment on column bi.credits_by_user.usage_date is 'UTC day.';
comment on column bi.credits_by_user.user_key is 'Key of the user: stable in this warehouse, says nothing about the person.';
comment on column bi.credits_by_user.masked_email is 'E-mail with all but the first letter and the domain masked; null when unknown. Not unique.';
comment on column bi.credits_by_user.credits is 'Standard Credits consumed by the user.';
comment on column bi.credits_by_user.share_of_day is 'Part of the credits of the organization on the day, 0 to 1; less than 1 over all users when the platform leaves a remainder. Not additive over days.';
