select * from bi_people.credit_limits
