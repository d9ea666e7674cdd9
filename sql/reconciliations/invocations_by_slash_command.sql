-- The invocations of a day's slash commands, summed, against those of the day: some may be left out, none counted twice.
with parts as (
  select
    usage_date,
    sum(invocations) as invocations
  from warehouse.fact_slash_command_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
)
select
  'tools' as endpoint,
  whole.usage_date,
  whole.slash_commands_invocations::numeric as expected,
  coalesce(parts.invocations, 0) as actual,
  case
    when parts.invocations > whole.slash_commands_invocations then 'contradiction'
    when coalesce(parts.invocations, 0) < whole.slash_commands_invocations then 'remainder'
    else 'ok'
  end as verdict,
  'slash_commands_invocations of all slash commands' as detail
from warehouse.fact_tool_daily as whole
left join parts on parts.usage_date = whole.usage_date
where whole.org_key = $1
  and whole.usage_date between $2 and $3
  and whole.slash_commands_invocations is not null;
