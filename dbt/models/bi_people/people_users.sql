select * from bi_people.users
