-- Which level do people prefer?
select preferred_autonomy, count(*) as users
from bi.users
where status in ('active', 'new')
group by preferred_autonomy
order by users desc, preferred_autonomy;
