-- Who of an organization ($1) used the most credits from one day ($2) to another ($3)? Names persons.
select
  coalesce(u.reported_user_id, c.user_id) as user_id,
  u.user_email,
  u.team,
  c.credits::text,
  a.active_days::text,
  a.sessions::text,
  a.git_commits::text
from (
  select
    user_id,
    sum(credits) as credits
  from bi.credits_by_user
  where org_id = $1
    and usage_date between $2::date and $3::date
  group by user_id
  order by
    sum(credits) desc nulls last,
    user_id
  limit 25
) as c
left join bi_people.users as u
  on u.org_id = $1
  and u.user_id = c.user_id
left join (
  select
    user_id,
    count(*) filter (where is_active) as active_days,
    sum(sessions) as sessions,
    sum(git_commits) as git_commits
  from bi.user_activity
  where org_id = $1
    and usage_date between $2::date and $3::date
  group by user_id
) as a on a.user_id = c.user_id
order by
  c.credits desc nulls last,
  c.user_id
