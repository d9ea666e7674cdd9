-- How many people use each model?
select model_id, count(*) as users
from (
  select distinct model_id, user_id
  from bi.credits_by_user_and_model
  where usage_date between '2026-04-02' and '2026-06-30'
) as used
group by model_id
order by users desc, model_id;
