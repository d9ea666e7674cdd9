-- Who uses the agents most?
select user_id, user_label, round(sum(credits)) as credits
from bi.credits_by_user
where usage_date between '2026-04-02' and '2026-06-30'
group by user_id, user_label
order by credits desc, user_id
limit 10;
