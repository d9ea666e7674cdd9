-- Which skills are used?
select skill_name, sum(invocations) as invocations
from bi.skill_usage
where usage_date between '2026-04-02' and '2026-06-30'
group by skill_name
order by invocations desc, skill_name
limit 10;
