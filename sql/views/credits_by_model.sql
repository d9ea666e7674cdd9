-- Which models consume the credits?
create or replace view bi.credits_by_model as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  m.model_id_shown as model_id,
  m.model_tier_shown as model_tier,
  f.billable_tokens as credits,
  f.input_tokens,
  f.output_tokens,
  (f.billable_tokens / nullif(total.billable_tokens, 0))::double precision as share_of_day
from warehouse.fact_token_model_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_model as m on m.model_key = f.model_key
left join warehouse.fact_token_daily as total
  on total.org_key = f.org_key
  and total.usage_date = f.usage_date;

comment on view bi.credits_by_model is 'One row per organization, day, model and tier.';
