-- Which slash commands are used?
select command_name, sum(invocations) as invocations
from bi.slash_command_usage
where usage_date between '2026-04-02' and '2026-06-30'
group by command_name
order by invocations desc, command_name
limit 10;
