-- Credits of every user of an organization ($1) from one day ($2) to another ($3), as /tokens reports them; null for
-- users without credits.
select
  u.user_email,
  sum(f.billable_tokens)::text as credits
from warehouse.dim_user as u
left join warehouse.fact_token_user_daily as f
  on f.org_key = u.org_key
  and f.user_key = u.user_key
  and f.usage_date between $2 and $3
where u.org_key = $1
group by u.user_key
order by u.user_key
