-- How many are active, new, dormant or gone?
select status, count(*) as users
from bi.users
group by status
order by users desc, status;
