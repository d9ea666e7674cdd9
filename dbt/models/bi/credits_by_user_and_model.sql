select * from bi.credits_by_user_and_model
