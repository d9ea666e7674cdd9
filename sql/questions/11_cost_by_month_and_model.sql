-- What does each model cost each month?
select month_start, model_id, round(sum(cost), 2) as cost, max(currency) as currency
from bi.cost_by_month
where month_start between '2026-04-01' and '2026-06-01'
group by month_start, model_id
order by month_start, cost desc nulls last, model_id;
