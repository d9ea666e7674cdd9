-- What do we consume each month?
select month_start, round(credits) as credits, is_complete
from bi.monthly_overview
where month_start between '2026-04-01' and '2026-06-01'
order by month_start;
