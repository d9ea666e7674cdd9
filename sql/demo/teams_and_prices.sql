-- Teams and prices for the demo: four teams in three departments, every ninth user without a team, and prices of all models
-- but one. The same users and models always get the same teams and prices.
insert into warehouse.person_assignment (org_key, user_id, team, department, cost_center, valid_from)
select
  u.org_key,
  u.user_id,
  (array['Checkout', 'Data', 'Mobile', 'Platform'])[u.place % 4 + 1],
  (array['Product', 'Engineering', 'Product', 'Engineering'])[u.place % 4 + 1],
  'CC-' || 100 + 10 * (u.place % 4),
  date '2026-01-14'
from (
  select
    org_key,
    user_id,
    row_number() over (order by user_id collate "C") as place
  from warehouse.dim_user
) as u
where u.place % 9 <> 0;

insert into warehouse.credit_price (model_id, model_tier, price_per_million_credits, currency, valid_from)
select
  m.model_id,
  '*',
  2 + m.place,
  'USD',
  date '2026-01-01'
from (
  select
    model_id,
    row_number() over (order by model_id collate "C") as place,
    count(*) over () as models
  from warehouse.dim_model
  group by model_id
) as m
where m.place < m.models;
