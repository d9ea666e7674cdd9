-- Which cost center pays what?
select cost_center, department, round(sum(cost), 2) as cost, max(currency) as currency
from bi.cost_by_month
where month_start between '2026-04-01' and '2026-06-01'
group by cost_center, department
order by cost desc nulls last, cost_center, department;
