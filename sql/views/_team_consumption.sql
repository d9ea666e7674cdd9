-- What did the users of each team consume? From sums where they are up to date, otherwise from the facts.
create or replace view warehouse.team_consumption as
select
  o.org_key,
  used.usage_date,
  used.model_key,
  used.team,
  used.department,
  used.cost_center,
  used.credits,
  used.is_summed,
  used.rows_of_facts
from warehouse.dim_org as o
cross join lateral (
  with day as materialized (
    select usage_date
    from etl.summable_day
    where org_key = o.org_key
      and is_summed
  ),

  -- The days that have no valid sum. They are read from this table, because it has only one row for each day of /tokens.
  other_day as materialized (
    select t.usage_date
    from warehouse.fact_token_daily as t
    left join day on day.usage_date = t.usage_date
    where t.org_key = o.org_key
      -- This means `day.usage_date is null`. With that condition the planner would expect to read all facts, and Postgres
      -- would compile the query first, which takes longer than the query.
      and coalesce(day.usage_date, date 'infinity') = date 'infinity'
  ),

  numbered as (
    select
      f.usage_date,
      f.model_key,
      t.team_numbers[width_bucket(f.usage_date, t.first_days)] as team_number,
      sum(f.billable_tokens) as credits,
      count(*) as rows_of_facts
    from (
      select
        d.usage_date,
        f.user_key,
        f.model_key,
        f.billable_tokens
      from other_day as d
      cross join lateral (
        select
          user_key,
          model_key,
          billable_tokens
        from warehouse.fact_token_user_model_daily
        where org_key = o.org_key
          and usage_date = d.usage_date
        -- "offset" makes the planner read the facts day by day: otherwise it may read all of them
        offset 0
      ) as f
    ) as f
    left join warehouse.member_history as t
      on t.org_key = o.org_key
      and t.user_key = f.user_key
    group by
      f.usage_date,
      f.model_key,
      t.team_numbers[width_bucket(f.usage_date, t.first_days)]
  )

  select
    c.usage_date,
    c.model_key,
    c.team,
    c.department,
    c.cost_center,
    c.credits,
    true as is_summed,
    null::bigint as rows_of_facts
  from etl.summed_credits as c
  join day on day.usage_date = c.usage_date
  where c.org_key = o.org_key
  union all
  select
    n.usage_date,
    n.model_key,
    t.team,
    t.department,
    t.cost_center,
    n.credits,
    false,
    n.rows_of_facts
  from numbered as n
  left join (
    select distinct
      team_number,
      team,
      department,
      cost_center
    from warehouse.assigned_team
    where org_key = o.org_key
  ) as t on t.team_number = n.team_number
) as used;

comment on view warehouse.team_consumption is 'Credits of users per organization, UTC day, model and team with its department and cost center.';
comment on column warehouse.team_consumption.org_key is 'Organization, see dim_org.';
comment on column warehouse.team_consumption.usage_date is 'UTC day.';
comment on column warehouse.team_consumption.model_key is 'Model, see dim_model.';
comment on column warehouse.team_consumption.team is 'Team of the users on the day; null: none.';
comment on column warehouse.team_consumption.department is 'Department of the team; null when not given.';
comment on column warehouse.team_consumption.cost_center is 'Cost center that pays; null when not given.';
comment on column warehouse.team_consumption.credits is 'Standard Credits.';
comment on column warehouse.team_consumption.is_summed is 'Whether the row is one of etl.summed_credits; else it was made of facts just now.';
comment on column warehouse.team_consumption.rows_of_facts is 'Facts that the row was made of; null for a row of etl.summed_credits.';
