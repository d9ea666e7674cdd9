select * from bi.monthly_overview
