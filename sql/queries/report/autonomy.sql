-- How much do people of an organization ($1) let agents do by themselves, from one day ($2) to another ($3), by day, week
-- or month ($4)? Shares of tool calls: a share counts by the calls of its day. Without a period: over all days.
select
  date_trunc($4, l.usage_date::timestamp)::date as period,
  l.autonomy_level,
  max(l.description) as description,
  l.autonomy_rank,
  round((sum(l.share * d.tool_calls) / nullif(sum(d.tool_calls), 0))::numeric, 6)::text as share
from bi.autonomy_levels as l
join bi.daily_overview as d
  on d.org_id = l.org_id
  and d.usage_date = l.usage_date
where l.org_id = $1
  and l.usage_date between $2::date and $3::date
group by grouping sets (
  (date_trunc($4, l.usage_date::timestamp), l.autonomy_level, l.autonomy_rank),
  (l.autonomy_level, l.autonomy_rank)
)
order by
  period nulls first,
  l.autonomy_rank nulls last,
  l.autonomy_level
