-- Which criteria of readiness do repositories of an organization ($1) pass least?
select
  criterion_id,
  repositories::text,
  passing::text,
  round(passing_share::numeric, 6)::text as passing_share
from bi.readiness_by_criterion
where org_id = $1
order by
  passing_share,
  criterion_id
