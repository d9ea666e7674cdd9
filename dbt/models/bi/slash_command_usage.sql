select * from bi.slash_command_usage
