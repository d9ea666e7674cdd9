-- What happened on each day of an organization ($1) from one ($2) to another ($3)?
select
  c.date_day as usage_date,
  c.day_of_week,
  c.week_start,
  d.credits::text,
  d.daily_active_users::text,
  d.weekly_active_users::text,
  d.monthly_active_users::text,
  d.stickiness::text,
  d.sessions::text,
  d.messages::text,
  d.tool_calls::text,
  (d.files_created + d.files_edited)::text as files_changed,
  d.git_commits::text,
  d.git_prs_created::text
from bi.calendar as c
left join bi.daily_overview as d
  on d.org_id = $1
  and d.usage_date = c.date_day
where c.date_day between $2::date and $3::date
order by c.date_day
