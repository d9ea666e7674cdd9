-- Which models take the credits?
select model_id, model_tier, round(sum(credits)) as credits
from bi.credits_by_model
where usage_date between '2026-04-02' and '2026-06-30'
group by model_id, model_tier
order by credits desc, model_id, model_tier;
