-- How ready is each repository for agents, by its newest report, and is it getting better?
create or replace view bi.readiness_by_repository as
select
  o.org_key,
  o.org_id,
  of_repository.*
from warehouse.dim_org as o
cross join lateral (
  with
    ranked as (
      select
        repository_key,
        report_id,
        created_at,
        is_listed,
        row_number() over (
          partition by repository_key
          order by created_at desc nulls last, report_id desc
        ) as place
      from warehouse.fact_readiness_report
      where org_key = o.org_key
    ),
    scored as (
      select
        r.repository_key,
        r.report_id,
        r.created_at,
        r.is_listed,
        r.place,
        (sum(c.numerator) / nullif(sum(c.denominator), 0))::double precision as score
      from ranked as r
      left join warehouse.fact_readiness_criterion as c on c.org_key = o.org_key and c.report_id = r.report_id
      where r.place <= 2
      group by
        r.repository_key,
        r.report_id,
        r.created_at,
        r.is_listed,
        r.place
    )
  select
    d.repository_key,
    d.repo_url_shown as repo_url,
    d.host_shown as host,
    d.owner_shown as owner,
    d.name_shown as name,
    newest.report_id,
    newest.created_at,
    newest.score,
    newest.score - before.score as score_change,
    newest.is_listed
  from scored as newest
  join warehouse.dim_repository as d
    on d.org_key = o.org_key
    and d.repository_key = newest.repository_key
  left join scored as before
    on before.repository_key = newest.repository_key
    and before.place = 2
  where newest.place = 1
) as of_repository;

comment on view bi.readiness_by_repository is 'One row per organization and address of a repository that has a readiness report. A repository that is reported by two addresses has two rows.';
comment on column bi.readiness_by_repository.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.readiness_by_repository.org_id is 'Organization id.';
comment on column bi.readiness_by_repository.repository_key is 'Repository key, see warehouse.dim_repository.';
comment on column bi.readiness_by_repository.repo_url is 'Address of the repository as reported.';
comment on column bi.readiness_by_repository.host is 'Host in the address; null where it has none.';
comment on column bi.readiness_by_repository.owner is 'Owner or groups in the address; null where it has none.';
comment on column bi.readiness_by_repository.name is 'Name in the address; null where it has none.';
comment on column bi.readiness_by_repository.report_id is 'Newest report, whether the platform still lists it or not.';
comment on column bi.readiness_by_repository.created_at is 'When the newest report was made.';
comment on column bi.readiness_by_repository.score is 'Sum of numerators by sum of denominators over the criteria of the newest report, 0 to 1; null where it has none. Not additive over repositories.';
comment on column bi.readiness_by_repository.score_change is 'Score less that of the report before; null where one of them is missing. The reports may have different criteria. Not additive over repositories.';
comment on column bi.readiness_by_repository.is_listed is 'Whether the platform still lists the newest report.';
