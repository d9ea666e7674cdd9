-- Of those who began in a month, how many are still there?
select cohort_month, months_since, users, active_users, round(retention::numeric, 2) as retention
from bi.user_cohorts
where cohort_month between '2026-04-01' and '2026-06-01'
order by cohort_month, months_since;
