-- Which tools do agents call? Malformed names are kept and marked, so that sums agree with the totals.
create or replace view bi.tool_usage as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  t.tool_name_shown as tool_name,
  t.is_parsing_artifact,
  f.invocations,
  f.invocations::double precision / nullif(total.tool_calls, 0) as share_of_day
from warehouse.fact_tool_usage_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_tool as t on t.tool_key = f.tool_key
left join warehouse.fact_tool_daily as total
  on total.org_key = f.org_key
  and total.usage_date = f.usage_date;

comment on view bi.tool_usage is 'One row per organization, day and tool.';
