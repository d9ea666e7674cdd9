select * from bi.weekly_overview
