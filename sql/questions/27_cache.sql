-- How well does the prompt cache work?
select month_start, round(sum(cache_read_tokens) / sum(input_tokens + cache_read_tokens + cache_write_tokens), 3) as cache_hit_ratio
from bi.daily_overview
join bi.calendar on date_day = usage_date
where usage_date between '2026-04-02' and '2026-06-30'
group by month_start
order by month_start;
