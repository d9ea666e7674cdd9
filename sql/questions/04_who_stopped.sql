-- Who stopped?
select user_id, user_label, last_active_day, active_days_90
from bi.users
where status in ('dormant', 'gone')
order by last_active_day desc, user_id
limit 10;
