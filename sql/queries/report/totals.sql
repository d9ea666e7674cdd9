-- Figures of an organization ($1) over the days from one ($2) to another ($3), and how many of these days are not
-- held whole: days before the first that an endpoint holds, after its last, or in between and missing.
select
  day.credits::text,
  day.sessions::text,
  day.messages::text,
  day.tool_calls::text,
  day.files_changed::text,
  day.git_commits::text,
  day.git_prs_created::text,
  day.has_any,
  person.active_users::text,
  team.cost::text,
  team.currency,
  team.unpriced_credits::text,
  missing.days as missing_days
from (
  select
    sum(credits) as credits,
    sum(sessions) as sessions,
    sum(messages) as messages,
    sum(tool_calls) as tool_calls,
    sum(files_created + files_edited) as files_changed,
    sum(git_commits) as git_commits,
    sum(git_prs_created) as git_prs_created,
    count(coalesce(credits, daily_active_users, sessions, messages, tool_calls, files_edited, git_commits)) > 0 as has_any
  from bi.daily_overview
  where org_id = $1
    and usage_date between $2::date and $3::date
) as day
cross join (
  select
    case when count(*) > 0 then count(distinct user_id) filter (where is_active) end as active_users
  from bi.user_activity
  where org_id = $1
    and usage_date between $2::date and $3::date
) as person
cross join (
  select
    sum(cost) as cost,
    max(currency) as currency,
    sum(unpriced_credits) as unpriced_credits
  from bi.credits_by_team
  where org_id = $1
    and usage_date between $2::date and $3::date
) as team
cross join (
  select count(distinct n)::integer as days
  from bi.data_freshness as f
  cross join lateral generate_series(0, $3::date - $2::date) as n
  left join bi.data_gaps as g
    on g.org_id = $1
    and g.endpoint = f.endpoint
    and g.usage_date = $2::date + n
  where f.org_id = $1
    and (
      f.first_day is null
      or not ($2::date + n between f.first_day and f.last_day)
      or g.usage_date is not null
    )
) as missing
