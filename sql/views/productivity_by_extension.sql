-- On which kinds of file do agents work?
create or replace view bi.productivity_by_extension as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  d.extension_shown as extension,
  f.file_operations
from warehouse.fact_file_extension_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_file_extension as d on d.file_extension_key = f.file_extension_key;

comment on view bi.productivity_by_extension is 'One row per organization, day and file extension.';
