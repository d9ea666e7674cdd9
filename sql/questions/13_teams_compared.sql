-- How do teams differ in what they use and what comes out of it?
select month_start, team, active_users, round(credits_per_active_user) as credits_per_active_user, sessions, git_commits,
  git_prs_created
from bi.team_overview
where month_start between '2026-06-01' and '2026-06-30'
order by month_start, team;
