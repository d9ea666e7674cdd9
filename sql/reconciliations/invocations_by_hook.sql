-- The invocations of a day's hooks, summed, against those of the day: hooks may be left out, not counted twice.
with parts as (
  select
    usage_date,
    sum(invocations) as invocations
  from warehouse.fact_hook_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
)
select
  'tools' as endpoint,
  whole.usage_date,
  whole.hooks_invocations::numeric as expected,
  coalesce(parts.invocations, 0) as actual,
  case
    when parts.invocations > whole.hooks_invocations then 'contradiction'
    when coalesce(parts.invocations, 0) < whole.hooks_invocations then 'remainder'
    else 'ok'
  end as verdict,
  'hooks_invocations of all hooks' as detail
from warehouse.fact_tool_daily as whole
left join parts on parts.usage_date = whole.usage_date
where whole.org_key = $1
  and whole.usage_date between $2 and $3
  and whole.hooks_invocations is not null;
