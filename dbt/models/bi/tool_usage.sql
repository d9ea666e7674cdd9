select * from bi.tool_usage
