-- Every user of an organization ($1), with the e-mail where it is known.
select
  user_id,
  user_email
from warehouse.dim_user
where org_key = $1
