select * from bi.data_freshness
