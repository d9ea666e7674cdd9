select * from bi.data_gaps
