-- Which models consume the credits?
create or replace view bi.credits_by_model as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  m.model_id,
  m.model_tier,
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
comment on column bi.credits_by_model.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.credits_by_model.org_id is 'Organization id.';
comment on column bi.credits_by_model.usage_date is 'UTC day.';
comment on column bi.credits_by_model.model_id is 'Model id as reported.';
comment on column bi.credits_by_model.model_tier is 'Tier as reported, or unknown.';
comment on column bi.credits_by_model.credits is 'Standard Credits consumed with the model.';
comment on column bi.credits_by_model.input_tokens is 'Raw input tokens of the model.';
comment on column bi.credits_by_model.output_tokens is 'Raw output tokens of the model.';
comment on column bi.credits_by_model.share_of_day is 'Part of the credits of the organization on the day, 0 to 1; less than 1 over all models when the platform leaves a remainder. Not additive over days.';
