-- Which MCP servers are used? Names that differ only in case or outer spaces are one server here.
create or replace view bi.mcp_server_usage as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  s.canonical_name_shown as server_name,
  sum(f.invocations) as invocations,
  count(*) as spellings
from warehouse.fact_mcp_server_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_mcp_server as s on s.mcp_server_key = f.mcp_server_key
group by
  f.org_key,
  o.org_id,
  f.usage_date,
  s.canonical_name_shown;

comment on view bi.mcp_server_usage is 'One row per organization, day and MCP server, whatever its spelling.';
