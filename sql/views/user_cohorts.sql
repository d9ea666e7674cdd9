-- Do people stay? Of those who began in a month, how many were active in each later one? A month that is not complete
-- would look like people leaving.
create or replace view bi.user_cohorts as
with complete as (
  select
    org_key,
    org_id,
    month_start
  from bi.monthly_overview
  where is_complete
),

active as (
  select
    d.org_key,
    d.user_key,
    date_trunc('month', d.usage_date::timestamp)::date as month_start
  from warehouse.user_day as d
  where d.is_active
  group by
    d.org_key,
    d.user_key,
    date_trunc('month', d.usage_date::timestamp)::date
),

counted as (
  select
    org_key,
    cohort_month,
    month_start,
    count(*) as users
  from (
    select
      org_key,
      month_start,
      min(month_start) over (partition by org_key, user_key) as cohort_month
    from active
  ) as of_user
  group by
    org_key,
    cohort_month,
    month_start
)

select
  cohort.org_key,
  cohort.org_id,
  cohort.month_start as cohort_month,
  (
    (extract(year from later.month_start) - extract(year from cohort.month_start)) * 12
    + extract(month from later.month_start) - extract(month from cohort.month_start)
  )::integer as months_since,
  began.users,
  coalesce(stayed.users, 0) as active_users,
  coalesce(stayed.users, 0)::double precision / began.users as retention
from complete as cohort
join complete as later
  on later.org_key = cohort.org_key
  and later.month_start >= cohort.month_start
join counted as began
  on began.org_key = cohort.org_key
  and began.cohort_month = cohort.month_start
  and began.month_start = cohort.month_start
left join counted as stayed
  on stayed.org_key = cohort.org_key
  and stayed.cohort_month = cohort.month_start
  and stayed.month_start = later.month_start;

comment on view bi.user_cohorts is 'One row per organization, month in which users began (their first active day ever) and month since, 0 for that month itself. Only months of which all five endpoints hold every day. Everyone is new in an organization''s first 28 days: its first cohort is everybody who was there.';
