-- How ready are the repositories of an organization ($1) for agents, by the newest report of each?
select
  repo_url,
  owner,
  name,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD') as reported_on,
  round(score::numeric, 6)::text as score,
  round(score_change::numeric, 6)::text as score_change,
  is_listed
from bi.readiness_by_repository
where org_id = $1
order by
  score desc nulls last,
  repo_url
