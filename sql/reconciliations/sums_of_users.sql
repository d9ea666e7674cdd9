-- Compares the sums of /users with the figures of the same name for the whole organization. Users that /users leaves
-- out are a remainder; its users cannot have more than the organization.
with slices as (
  select
    endpoint,
    usage_date
  from etl.slice
  where org_key = $1
    and endpoint in ('activity', 'productivity', 'tokens', 'tools', 'users')
    and usage_date between $2 and $3
    and status in ('loaded', 'empty')
),
whole as (
  select
    'tokens' as endpoint,
    f.usage_date,
    figure.measure,
    figure.total
  from warehouse.fact_token_daily as f
  cross join lateral (
    values
      ('billable_tokens', f.billable_tokens)
  ) as figure (measure, total)
  where f.org_key = $1
    and f.usage_date between $2 and $3
  union all
  select
    'tools',
    f.usage_date,
    'tool_calls',
    f.tool_calls
  from warehouse.fact_tool_daily as f
  where f.org_key = $1
    and f.usage_date between $2 and $3
  union all
  select
    'activity',
    f.usage_date,
    figure.measure,
    figure.total
  from warehouse.fact_activity_daily as f
  cross join lateral (
    values
      ('sessions', f.sessions),
      ('messages', f.messages),
      ('user_messages', f.user_messages)
  ) as figure (measure, total)
  where f.org_key = $1
    and f.usage_date between $2 and $3
  union all
  select
    'productivity',
    f.usage_date,
    figure.measure,
    figure.total
  from warehouse.fact_productivity_daily as f
  cross join lateral (
    values
      ('files_created', f.files_created),
      ('files_edited', f.files_edited),
      ('git_commits', f.git_commits),
      ('git_prs_created', f.git_prs_created)
  ) as figure (measure, total)
  where f.org_key = $1
    and f.usage_date between $2 and $3
),
sums as (
  select
    usage_date,
    sum(billable_tokens) as billable_tokens,
    sum(tool_calls) as tool_calls,
    sum(sessions) as sessions,
    sum(messages) as messages,
    sum(user_messages) as user_messages,
    sum(files_created) as files_created,
    sum(files_edited) as files_edited,
    sum(git_commits) as git_commits,
    sum(git_prs_created) as git_prs_created
  from warehouse.fact_user_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
),
parts as (
  select
    sums.usage_date,
    figure.measure,
    figure.total
  from sums
  cross join lateral (
    values
      ('billable_tokens', sums.billable_tokens),
      ('tool_calls', sums.tool_calls),
      ('sessions', sums.sessions),
      ('messages', sums.messages),
      ('user_messages', sums.user_messages),
      ('files_created', sums.files_created),
      ('files_edited', sums.files_edited),
      ('git_commits', sums.git_commits),
      ('git_prs_created', sums.git_prs_created)
  ) as figure (measure, total)
)
select
  null::text as endpoint,
  whole.usage_date,
  whole.total as expected,
  coalesce(parts.total, 0) as actual,
  case
    -- the platform adds in floating point: a difference below 1 in 10^12 does not count
    when parts.total > whole.total * (1 + 1e-12) then 'contradiction'
    when coalesce(parts.total, 0) < whole.total * (1 - 1e-12) then 'remainder'
    else 'ok'
  end as verdict,
  format('%s of all rows of /users within that of /%s', whole.measure, whole.endpoint) as detail
from whole
join slices as of_whole
  on of_whole.endpoint = whole.endpoint
  and of_whole.usage_date = whole.usage_date
join slices as of_users
  on of_users.endpoint = 'users'
  and of_users.usage_date = whole.usage_date
left join parts
  on parts.usage_date = whole.usage_date
  and parts.measure = whole.measure
where whole.total is not null;
