-- What comes out of it: credits for each commit and pull request?
select date_trunc('month', usage_date::timestamp)::date as month_start, sum(git_commits) as git_commits,
  sum(git_prs_created) as git_prs_created, round(sum(credits) / nullif(sum(git_commits), 0)) as credits_per_commit
from bi.daily_overview
where usage_date between '2026-04-02' and '2026-06-30'
group by 1
order by 1;
