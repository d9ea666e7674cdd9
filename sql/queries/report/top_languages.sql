-- Which languages do agents work on most, of an organization ($1) from one day ($2) to another ($3)?
-- Each row also has the sum and the number of all languages.
select
  language as name,
  sum(file_operations)::text as count,
  (sum(sum(file_operations)) over ())::text as count_of_all,
  (count(*) over ())::integer as names
from bi.productivity_by_language
where org_id = $1
  and usage_date between $2::date and $3::date
group by language
order by
  sum(file_operations) desc nulls last,
  language
limit 10
