-- How much do people let agents do by themselves?
select l.autonomy_level, round((sum(l.share * d.tool_calls) / sum(d.tool_calls))::numeric, 3) as share_of_tool_calls
from bi.autonomy_levels as l
join bi.daily_overview as d using (org_id, usage_date)
where usage_date between '2026-04-02' and '2026-06-30'
group by l.autonomy_level, l.autonomy_rank
order by l.autonomy_rank desc nulls last, l.autonomy_level;
