-- Who came and went in each week or month ($4) of an organization ($1) that has a day from one ($2) to another ($3), and
-- what was done in all of it? A period that the range cuts is shown whole.
select
  $4::text as unit,
  p.period,
  p.active_users::text,
  p.new_users::text,
  p.returning_users::text,
  p.stopped_users::text,
  p.credits::text,
  p.run_rate_credits::text,
  p.sessions::text,
  p.tool_calls::text,
  p.git_commits::text,
  p.git_prs_created::text,
  p.is_complete
from (
  select
    'month' as unit,
    org_id,
    month_start as period,
    active_users,
    new_users,
    returning_users,
    stopped_users,
    credits,
    round(run_rate_credits::numeric) as run_rate_credits,
    sessions,
    tool_calls,
    git_commits,
    git_prs_created,
    is_complete
  from bi.monthly_overview
  union all
  select
    'week',
    org_id,
    week_start,
    active_users,
    new_users,
    returning_users,
    stopped_users,
    credits,
    null,
    sessions,
    tool_calls,
    git_commits,
    git_prs_created,
    is_complete
  from bi.weekly_overview
) as p
where p.unit = $4
  and p.org_id = $1
  and p.period between date_trunc($4, $2::date::timestamp)::date and $3::date
order by p.period
