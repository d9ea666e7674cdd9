-- How much of the credits do the ten heaviest users take?
select round(100 * sum(credits) filter (where place <= 10) / sum(credits), 1) as percent
from (
  select sum(credits) as credits, row_number() over (order by sum(credits) desc) as place
  from bi.credits_by_user
  where usage_date between '2026-04-02' and '2026-06-30'
  group by user_id
) as of_user;
