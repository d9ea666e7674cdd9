-- On which languages do agents work?
create or replace view bi.productivity_by_language as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  d.language_name as language,
  f.file_operations
from warehouse.fact_language_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_language as d on d.language_key = f.language_key;

comment on view bi.productivity_by_language is 'One row per organization, day and programming language.';
comment on column bi.productivity_by_language.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.productivity_by_language.org_id is 'Organization id.';
comment on column bi.productivity_by_language.usage_date is 'UTC day.';
comment on column bi.productivity_by_language.language is 'Programming language as reported.';
comment on column bi.productivity_by_language.file_operations is 'File operations on files of the programming language.';
