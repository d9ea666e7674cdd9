-- How many people use the agents, and how many of them are new?
select month_start, active_users, new_users, returning_users, stopped_users
from bi.monthly_overview
where month_start between '2026-04-01' and '2026-06-01'
order by month_start;
