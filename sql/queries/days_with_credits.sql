-- On how many days from one ($2) to another ($3) does the warehouse hold the credits of an organization ($1)?
select count(*)::integer as days
from etl.slice
where org_key = $1
  and endpoint = 'tokens'
  and usage_date between $2 and $3
  and status in ('loaded', 'empty')
