select * from bi.user_activity
