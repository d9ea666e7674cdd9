-- Which hooks run?
select event, matcher, left(split_part(command, E'\n', 1), 40) as command, sum(invocations) as invocations
from bi.hook_usage
where usage_date between '2026-04-02' and '2026-06-30'
group by event, matcher, command
order by invocations desc, event, matcher, command
limit 10;
