-- Which MCP servers are used?
select server_name, sum(invocations) as invocations, max(spellings) as spellings
from bi.mcp_server_usage
where usage_date between '2026-04-02' and '2026-06-30'
group by server_name
order by invocations desc, server_name
limit 10;
