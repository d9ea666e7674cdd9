-- Which tools do agents call most, of an organization ($1) from one day ($2) to another ($3)?
-- Each row also has the sum and the number of all tools.
select
  tool_name as name,
  sum(invocations)::text as count,
  (sum(sum(invocations)) over ())::text as count_of_all,
  (count(*) over ())::integer as names
from bi.tool_usage
where org_id = $1
  and usage_date between $2::date and $3::date
group by tool_name
order by
  sum(invocations) desc nulls last,
  tool_name
limit 10
