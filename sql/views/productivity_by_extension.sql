-- On which kinds of file do agents work?
create or replace view bi.productivity_by_extension as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  d.extension,
  f.file_operations
from warehouse.fact_file_extension_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_file_extension as d on d.file_extension_key = f.file_extension_key;

comment on view bi.productivity_by_extension is 'One row per organization, day and file extension.';
comment on column bi.productivity_by_extension.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.productivity_by_extension.org_id is 'Organization id.';
comment on column bi.productivity_by_extension.usage_date is 'UTC day.';
comment on column bi.productivity_by_extension.extension is 'File extension as reported.';
comment on column bi.productivity_by_extension.file_operations is 'File operations on files of the file extension.';
