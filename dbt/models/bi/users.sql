select * from bi.users
