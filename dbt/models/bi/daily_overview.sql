select * from bi.daily_overview
