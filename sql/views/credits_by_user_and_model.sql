-- Who uses which model? These models consumed the credits; bi.user_activity has only the primary model of a day.
create or replace view bi.credits_by_user_and_model as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  u.user_id_shown as user_id,
  u.user_label,
  m.model_id_shown as model_id,
  m.model_tier_shown as model_tier,
  f.billable_tokens as credits,
  f.input_tokens,
  f.output_tokens
from warehouse.fact_token_user_model_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_user as u on u.user_key = f.user_key
join warehouse.dim_model as m on m.model_key = f.model_key;

comment on view bi.credits_by_user_and_model is 'One row per organization, UTC day, user, model and tier, as /tokens charges them. What a model has beyond its users is in bi.credits_by_model only.';
