-- The models of a day, summed, against the day's own figures. The platform may list fewer models than were used;
-- what is listed can never add up to more than the day.
with parts as (
  select
    usage_date,
    sum(billable_tokens) as billable_tokens,
    sum(input_tokens) as input_tokens,
    sum(output_tokens) as output_tokens
  from warehouse.fact_token_model_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by usage_date
)
select
  'tokens' as endpoint,
  whole.usage_date,
  figure.expected,
  figure.actual,
  case
    -- the platform adds up in floating point: a part in 10^12 is not a difference
    when figure.actual > figure.expected * (1 + 1e-12) then 'contradiction'
    when figure.actual < figure.expected * (1 - 1e-12) then 'remainder'
    else 'ok'
  end as verdict,
  format('%s of all models', figure.measure) as detail
from warehouse.fact_token_daily as whole
left join parts on parts.usage_date = whole.usage_date
cross join lateral (
  values
    ('billable_tokens', whole.billable_tokens, coalesce(parts.billable_tokens, 0)),
    ('input_tokens', whole.input_tokens::numeric, coalesce(parts.input_tokens, 0)),
    ('output_tokens', whole.output_tokens::numeric, coalesce(parts.output_tokens, 0))
) as figure (measure, expected, actual)
where whole.org_key = $1
  and whole.usage_date between $2 and $3
  and figure.expected is not null;
