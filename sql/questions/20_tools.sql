-- Which tools do agents call most?
select tool_name, sum(invocations) as invocations
from bi.tool_usage
where usage_date between '2026-04-02' and '2026-06-30'
  and not is_parsing_artifact
group by tool_name
order by invocations desc, tool_name
limit 10;
