-- Which criteria of readiness do repositories pass, by the newest report of each?
create or replace view bi.readiness_by_criterion as
select
  o.org_key,
  o.org_id,
  d.criterion_id_shown as criterion_id,
  count(*) as repositories,
  count(*) filter (where c.numerator = c.denominator) as passing,
  count(*) filter (where c.numerator = c.denominator)::double precision / count(*) as passing_share,
  (sum(c.numerator) / nullif(sum(c.denominator), 0))::double precision as score
from warehouse.dim_org as o
cross join lateral (
  select distinct on (repository_key)
    report_id
  from warehouse.fact_readiness_report
  where org_key = o.org_key
    and repository_key is not null
  order by
    repository_key,
    created_at desc nulls last,
    report_id desc
) as newest
join warehouse.fact_readiness_criterion as c
  on c.org_key = o.org_key
  and c.report_id = newest.report_id
join warehouse.dim_readiness_criterion as d on d.readiness_criterion_key = c.readiness_criterion_key
group by
  o.org_key,
  o.org_id,
  d.criterion_id_shown;

comment on view bi.readiness_by_criterion is 'One row per organization and criterion that the newest readiness report of some repository has. A repository that is reported by two addresses counts twice.';
comment on column bi.readiness_by_criterion.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.readiness_by_criterion.org_id is 'Organization id.';
comment on column bi.readiness_by_criterion.criterion_id is 'Id of the criterion as reported.';
comment on column bi.readiness_by_criterion.repositories is 'Repositories whose newest report has the criterion.';
comment on column bi.readiness_by_criterion.passing is 'Those of them that pass it wholly: numerator equals denominator.';
comment on column bi.readiness_by_criterion.passing_share is 'Share of repositories that pass it wholly, 0 to 1. Not additive over criteria.';
comment on column bi.readiness_by_criterion.score is 'Sum of numerators by sum of denominators over these repositories, 0 to 1. Not additive over criteria.';
