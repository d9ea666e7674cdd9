-- Which computers are ready for agents, which have failed, since when, and where did they fail?
create or replace view bi.computer_status as
select
  o.org_key,
  o.org_id,
  of_computer.*
from warehouse.dim_org as o
cross join lateral (
  -- Postgres does not take a subquery with a CTE apart, so everything below is computed once for each organization.
  with snapshots as (
    select
      computer_key,
      min(snapshot_date) as first_seen,
      max(snapshot_date) as last_seen,
      count(*) filter (where status = 'error') as days_in_error,
      max(snapshot_date) filter (where status is distinct from 'error') as last_without_error
    from warehouse.fact_computer_daily
    where org_key = o.org_key
    group by computer_key
  )
  select
    s.computer_key,
    d.computer_id_shown as computer_id,
    d.computer_name_shown as computer_name,
    d.provider_type_shown as provider_type,
    s.last_seen as snapshot_date,
    f.status_shown as status,
    s.days_in_error,
    s.first_seen,
    (
      select coalesce(t.step_name_shown, t.step_id_shown)
      from warehouse.fact_computer_step_daily as t
      where t.org_key = o.org_key
        and t.snapshot_date = s.last_seen
        and t.computer_key = s.computer_key
        and (t.error <> '' or lower(t.status) in ('error', 'failed'))
      order by
        t.started_at desc nulls last,
        t.step_id
      limit 1
    ) as failing_step,
    (
      select min(e.snapshot_date)
      from warehouse.fact_computer_daily as e
      where e.org_key = o.org_key
        and e.computer_key = s.computer_key
        and e.snapshot_date > coalesce(s.last_without_error, '-infinity')
    ) as error_since,
    s.last_seen >= (
      select max(r.usage_date)
      from etl.slice as r
      where r.org_key = o.org_key
        and r.endpoint = 'computers'
        and r.status in ('loaded', 'empty')
    ) as is_listed
  from snapshots as s
  join warehouse.fact_computer_daily as f
    on f.org_key = o.org_key
    and f.snapshot_date = s.last_seen
    and f.computer_key = s.computer_key
  join warehouse.dim_computer as d
    on d.org_key = o.org_key
    and d.computer_key = s.computer_key
) as of_computer;

comment on view bi.computer_status is 'One row per organization and computer, as the newest snapshot that has it says. There are snapshots only of days on which something was read.';
comment on column bi.computer_status.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.computer_status.org_id is 'Organization id.';
comment on column bi.computer_status.computer_key is 'Computer key, see warehouse.dim_computer.';
comment on column bi.computer_status.computer_id is 'Computer id.';
comment on column bi.computer_status.computer_name is 'Name as last seen. Not unique.';
comment on column bi.computer_status.provider_type is 'Provider as last seen.';
comment on column bi.computer_status.snapshot_date is 'UTC day of the newest snapshot that has the computer.';
comment on column bi.computer_status.status is 'Status on that day: provisioning, active, error, or as reported; null when not reported.';
comment on column bi.computer_status.days_in_error is 'Snapshots in which the computer is in error, of all days, one after the other or not.';
comment on column bi.computer_status.first_seen is 'UTC day of the first snapshot that has the computer.';
comment on column bi.computer_status.failing_step is 'Name of the step that failed, on snapshot_date: one with an error, or whose status is error or failed; of several the one that began last; null when none did.';
comment on column bi.computer_status.error_since is 'First of the snapshots in error, one after the other, that lead to snapshot_date; null when the computer is not in error.';
comment on column bi.computer_status.is_listed is 'Whether the last reading of the organization''s computers has it.';
