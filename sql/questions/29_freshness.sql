-- How far does the data reach?
select endpoint, first_day, last_day, days_failed
from bi.data_freshness
order by endpoint;
