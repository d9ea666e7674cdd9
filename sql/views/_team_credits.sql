-- What did each team use of each model, and what does that cost? Credits of a model that no user accounts for go to
-- team `unattributed`, so that sums agree with bi.credits_by_model.
create or replace view warehouse.team_credits as
select
  o.org_key,
  o.org_id,
  c.usage_date,
  m.model_id_shown as model_id,
  m.model_tier_shown as model_tier,
  c.team,
  c.department,
  c.cost_center,
  c.credits,
  c.credits * p.price_per_million_credits / 1000000 as cost,
  p.currency,
  case when p.currency is null then c.credits else 0 * c.credits end as unpriced_credits
from warehouse.dim_org as o
cross join lateral (
  select
    part.usage_date,
    part.model_key,
    part.team,
    part.department,
    part.cost_center,
    sum(part.credits) as credits
  from (
    -- Each user row comes twice: as credits of the team, and negated, to be subtracted from the model's total.
    select
      spent.usage_date,
      spent.model_key,
      copy.is_nobodys,
      case when copy.is_nobodys then 'unattributed' else coalesce(spent.team, 'unassigned') end as team,
      case when not copy.is_nobodys then spent.department end as department,
      case when not copy.is_nobodys then spent.cost_center end as cost_center,
      case when copy.is_nobodys then -spent.credits else spent.credits end as credits
    from warehouse.team_consumption as spent
    cross join (values (false), (true)) as copy (is_nobodys)
    where spent.org_key = o.org_key
    union all
    select
      f.usage_date,
      f.model_key,
      true,
      'unattributed',
      null,
      null,
      f.billable_tokens
    from warehouse.fact_token_model_daily as f
    where f.org_key = o.org_key
  ) as part
  group by
    part.usage_date,
    part.model_key,
    part.is_nobodys,
    part.team,
    part.department,
    part.cost_center
  having not part.is_nobodys
    or sum(part.credits) <> 0
) as c
join warehouse.dim_model as m on m.model_key = c.model_key
left join lateral (
  select
    p.price_per_million_credits,
    p.currency
  from warehouse.credit_price as p
  where p.model_id = m.model_id
    and p.model_tier in (m.model_tier, '*')
    and p.valid_from <= c.usage_date
  order by
    p.model_tier = m.model_tier desc,
    p.valid_from desc
  limit 1
) as p on true;

comment on view warehouse.team_credits is 'One row per organization, UTC day, model and team with its department and cost center.';
comment on column warehouse.team_credits.org_key is 'Organization, see dim_org.';
comment on column warehouse.team_credits.org_id is 'Organization id.';
comment on column warehouse.team_credits.usage_date is 'UTC day.';
comment on column warehouse.team_credits.model_id is 'Model id as reported.';
comment on column warehouse.team_credits.model_tier is 'Tier as reported, or unknown.';
comment on column warehouse.team_credits.team is 'Team of the users on the day; unassigned where they had none; unattributed for what no user accounts for.';
comment on column warehouse.team_credits.department is 'Department of the team; null when not given.';
comment on column warehouse.team_credits.cost_center is 'Cost center that pays; null when not given.';
comment on column warehouse.team_credits.credits is 'Standard Credits.';
comment on column warehouse.team_credits.cost is 'What the credits cost; null without a price.';
comment on column warehouse.team_credits.currency is 'Currency of the cost; null without a price.';
comment on column warehouse.team_credits.unpriced_credits is 'Credits without a price: all or 0.';
