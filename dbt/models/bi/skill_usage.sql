select * from bi.skill_usage
