-- How much can be put down to nobody?
select round(sum(credits) filter (where team = 'unattributed')) as unattributed,
  round(sum(credits) filter (where team = 'unassigned')) as unassigned, round(sum(credits)) as credits
from bi.credits_by_team
where usage_date between '2026-04-02' and '2026-06-30';
