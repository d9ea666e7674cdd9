-- What does each team cost?
select team, round(sum(credits)) as credits, round(sum(cost), 2) as cost, max(currency) as currency,
  round(sum(unpriced_credits)) as unpriced_credits
from bi.credits_by_team
where usage_date between '2026-04-02' and '2026-06-30'
group by team
order by cost desc nulls last, team;
