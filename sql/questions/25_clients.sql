-- Through which clients do people work, on the busiest day?
select client_type, max(daily_active_users) as users_on_the_busiest_day
from bi.adoption_by_client
where usage_date between '2026-04-02' and '2026-06-30'
group by client_type
order by users_on_the_busiest_day desc, client_type;
