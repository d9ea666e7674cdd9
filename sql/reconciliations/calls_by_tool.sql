-- The calls of a day's tools, summed, against the calls of the day: tools may be left out, not counted twice.
with parts as (
  select
    usage_date,
    sum(invocations) as invocations
  from warehouse.fact_tool_usage_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
)
select
  'tools' as endpoint,
  whole.usage_date,
  whole.tool_calls::numeric as expected,
  coalesce(parts.invocations, 0) as actual,
  case
    when parts.invocations > whole.tool_calls then 'contradiction'
    when coalesce(parts.invocations, 0) < whole.tool_calls then 'remainder'
    else 'ok'
  end as verdict,
  'tool_calls of all tools' as detail
from warehouse.fact_tool_daily as whole
left join parts on parts.usage_date = whole.usage_date
where whole.org_key = $1
  and whole.usage_date between $2 and $3
  and whole.tool_calls is not null;
