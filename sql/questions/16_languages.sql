-- Which languages are worked in, and by how many people?
select language, count(*) as users
from (
  select distinct language, user_id
  from bi.user_languages
  where usage_date between '2026-04-02' and '2026-06-30'
) as used
group by language
order by users desc, language
limit 10;
