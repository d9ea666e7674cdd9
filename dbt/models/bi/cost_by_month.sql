select * from bi.cost_by_month
