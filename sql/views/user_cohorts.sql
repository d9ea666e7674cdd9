-- Do people stay? Of the users who began in a month, how many were active in each later month? Incomplete months are
-- left out, because they would look like people leaving. The active months of a user are the bits of a number, from
-- January 2020 on, so that the facts are read once and only one row per user is kept.
create or replace view bi.user_cohorts as
select
  month.org_key,
  month.org_id,
  month.month_start as cohort_month,
  month.months_since,
  count(*) as users,
  count(*) filter (where get_bit(active.months, month.month_number + month.months_since) = 1) as active_users,
  count(*) filter (where get_bit(active.months, month.month_number + month.months_since) = 1)::double precision / count(*)
    as retention
from (
  select
    o.org_key,
    o.org_id,
    each.month_start,
    each.month_number,
    each.months_since
  from warehouse.dim_org as o
  cross join lateral (
    with complete as (
      select
        day.month_start,
        ((extract(year from day.month_start) - 2020) * 12 + extract(month from day.month_start) - 1)::integer
          as month_number
      from (
        select date_trunc('month', usage_date::timestamp)::date as month_start
        from etl.held_day
        where org_key = o.org_key
      ) as day
      group by day.month_start
      having count(*) = 5 * ((day.month_start + interval '1 month')::date - day.month_start)
    )
    select
      cohort.month_start,
      cohort.month_number,
      later.month_number - cohort.month_number as months_since
    from complete as cohort
    join complete as later on later.month_start >= cohort.month_start
  ) as each
) as month
-- joined by both keys, as in bi.weekly_overview
join (
  select
    o.org_key,
    o.org_id,
    min(each.month_start) as cohort_month,
    bit_or('1'::bit(480) >> ((each.year - 2020) * 12 + each.month - 1)) as months
  from warehouse.dim_org as o
  join warehouse.user_day as d on d.org_key = o.org_key
  join warehouse.dim_date as each on each.date_day = d.usage_date
  where d.is_active
  group by
    o.org_key,
    o.org_id,
    d.user_key
) as active
  on active.org_key = month.org_key
  and active.org_id = month.org_id
  and active.cohort_month = month.month_start
group by
  month.org_key,
  month.org_id,
  month.month_start,
  month.months_since;

comment on view bi.user_cohorts is 'One row per organization, month in which users began (their first active day ever) and month since, 0 for that month itself. Only months of which all five endpoints hold every day. Everyone is new in an organization''s first 28 days: its first cohort is everybody who was there.';
