-- Does use grow from week to week?
select week_start, active_users, stopped_users, round(credits) as credits, sessions
from bi.weekly_overview
where week_start between '2026-04-02' and '2026-06-30'
order by week_start;
