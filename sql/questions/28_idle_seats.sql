-- How many were active on how many days?
select case when days < 5 then '1 to 4' when days < 20 then '5 to 19' else '20 and more' end as active_days, count(*) as users
from (
  select user_id, count(*) as days
  from bi.user_activity
  where usage_date between '2026-04-02' and '2026-06-30'
    and is_active
  group by user_id
) as of_user
group by active_days
order by min(days);
