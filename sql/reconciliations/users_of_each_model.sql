-- Compares the sum of the users' consumption of a model with the model's total of the day. Users that are not listed
-- leave a remainder. A model that only users list is not compared, because it has no total.
with parts as (
  select
    usage_date,
    model_key,
    sum(billable_tokens) as billable_tokens,
    sum(input_tokens) as input_tokens,
    sum(output_tokens) as output_tokens
  from warehouse.fact_token_user_model_daily
  where org_key = $1
    and usage_date between $2 and $3
  group by
    usage_date,
    model_key
)
select
  'tokens' as endpoint,
  whole.usage_date,
  figure.expected,
  figure.actual,
  judged.verdict,
  case judged.verdict
    when 'contradiction' then (
      select format('%s of %s (%s) of all users', figure.measure, m.model_id, m.model_tier)
      from warehouse.dim_model as m
      where m.model_key = whole.model_key
    )
    else format('%s of a model of all users', figure.measure)
  end as detail
from warehouse.fact_token_model_daily as whole
left join parts
  on parts.usage_date = whole.usage_date
  and parts.model_key = whole.model_key
cross join lateral (
  values
    ('billable_tokens', whole.billable_tokens, coalesce(parts.billable_tokens, 0)),
    ('input_tokens', whole.input_tokens::numeric, coalesce(parts.input_tokens, 0)),
    ('output_tokens', whole.output_tokens::numeric, coalesce(parts.output_tokens, 0))
) as figure (measure, expected, actual)
cross join lateral (
  select
    case
      -- the platform adds in floating point: a difference below 1 in 10^12 does not count
      when figure.actual > figure.expected * (1 + 1e-12) then 'contradiction'
      when figure.actual < figure.expected * (1 - 1e-12) then 'remainder'
      else 'ok'
    end as verdict
) as judged
where whole.org_key = $1
  and whole.usage_date between $2 and $3
  and figure.expected is not null;
