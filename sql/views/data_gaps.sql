-- Which days are missing, and why?
create or replace view bi.data_gaps as
select
  gap.org_key,
  o.org_id,
  gap.endpoint,
  gap.usage_date,
  gap.reason,
  gap.error
from etl.missing_day as gap
join warehouse.dim_org as o on o.org_key = gap.org_key;

comment on view bi.data_gaps is 'One row per organization, daily endpoint and UTC day that was asked for, up to yesterday, and is not held. No rows: the data is whole.';
