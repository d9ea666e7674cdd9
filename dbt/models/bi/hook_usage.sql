select * from bi.hook_usage
