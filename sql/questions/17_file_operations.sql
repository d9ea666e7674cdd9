-- Where do agents change most files?
select language, sum(file_operations) as file_operations
from bi.productivity_by_language
where usage_date between '2026-04-02' and '2026-06-30'
group by language
order by file_operations desc, language
limit 10;
