-- On which languages do agents work?
create or replace view bi.productivity_by_language as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  d.language_name_shown as language,
  f.file_operations
from warehouse.fact_language_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_language as d on d.language_key = f.language_key;

comment on view bi.productivity_by_language is 'One row per organization, day and programming language.';
