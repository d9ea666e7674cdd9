-- What does each team of an organization ($1) use from one day ($2) to another ($3), and what does that cost? And on
-- each day, all teams together: those rows have no team.
select
  usage_date,
  team,
  case when team is not null then max(active_users)::text end as busiest_day,
  sum(credits)::text as credits,
  sum(cost)::text as cost,
  max(currency) as currency,
  sum(unpriced_credits)::text as unpriced_credits
from bi.credits_by_team
where org_id = $1
  and usage_date between $2::date and $3::date
group by grouping sets (
  (team),
  (usage_date)
)
order by
  sum(credits) desc nulls last,
  team
