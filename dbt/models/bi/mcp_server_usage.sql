select * from bi.mcp_server_usage
