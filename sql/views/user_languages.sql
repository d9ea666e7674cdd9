-- In which languages does each user work?
create or replace view bi.user_languages as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  u.user_id_shown as user_id,
  u.user_label,
  l.language_name_shown as language
from warehouse.bridge_user_language_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_user as u on u.user_key = f.user_key
join warehouse.dim_language as l on l.language_key = f.language_key;

comment on view bi.user_languages is 'One row per organization, UTC day, user and language that the user worked in. Count distinct users; how much was done in a language is in bi.productivity_by_language, and by whom is not reported.';
