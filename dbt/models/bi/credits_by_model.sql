select * from bi.credits_by_model
