-- Which tools do agents call? Malformed names are kept and marked, so that sums agree with the whole.
create or replace view bi.tool_usage as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  t.tool_name,
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
comment on column bi.tool_usage.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.tool_usage.org_id is 'Organization id.';
comment on column bi.tool_usage.usage_date is 'UTC day.';
comment on column bi.tool_usage.tool_name is 'Tool name as reported.';
comment on column bi.tool_usage.is_parsing_artifact is 'Whether the name is malformed, a parsing artifact of the platform.';
comment on column bi.tool_usage.invocations is 'Invocations of the tool.';
comment on column bi.tool_usage.share_of_day is 'Part of all tool calls of the organization on the day, 0 to 1. Not additive over days.';
