-- What does each team, department and cost center pay for each model and month?
create or replace view bi.cost_by_month as
select
  c.org_key,
  c.org_id,
  date_trunc('month', c.usage_date::timestamp)::date as month_start,
  c.team,
  c.department,
  c.cost_center,
  c.model_id,
  c.model_tier,
  sum(c.credits) as credits,
  sum(c.cost) as cost,
  max(c.currency) as currency,
  sum(c.unpriced_credits) as unpriced_credits
from warehouse.team_credits as c
group by
  c.org_key,
  c.org_id,
  date_trunc('month', c.usage_date::timestamp)::date,
  c.team,
  c.department,
  c.cost_center,
  c.model_id,
  c.model_tier;

comment on view bi.cost_by_month is 'One row per organization, month, team with its department and cost center, model and tier. Credits without a price are in unpriced_credits and in no cost. unassigned: users without a team; unattributed: credits that no user accounts for. The current month ends with the last day held.';
