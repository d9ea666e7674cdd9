-- Is the data whole?
select count(*) as missing_days
from bi.data_gaps
where usage_date between '2026-04-02' and '2026-06-30';
