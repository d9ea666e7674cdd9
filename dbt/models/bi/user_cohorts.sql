select * from bi.user_cohorts
