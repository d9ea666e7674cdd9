-- Which hooks run in agent sessions, and which fail? Only of sessions that somebody registered.
create or replace view bi.session_hooks as
select
  o.org_key,
  o.org_id,
  of_hook.*
from warehouse.dim_org as o
cross join lateral (
  with result as (
    select
      (coalesce(m.hook_started_at, m.created_at) at time zone 'utc')::date as usage_date,
      m.hook_event_name_shown as event,
      m.hook_status_shown as status,
      r.result_index,
      r.exit_code
    from warehouse.fact_session_message as m
    left join warehouse.fact_session_hook_result as r
      on r.org_key = o.org_key
      and r.session_id_digest = m.session_id_digest
      and r.message_id_digest = m.message_id_digest
    where m.org_key = o.org_key
      and (m.hook_event_name is not null or m.hook_status is not null or r.result_index is not null)
  ),
  by_exit_code as (
    select
      usage_date,
      event,
      status,
      exit_code,
      count(result_index) as results
    from result
    group by
      usage_date,
      event,
      status,
      exit_code
  )
  select
    usage_date,
    event,
    status,
    sum(results)::bigint as results,
    coalesce(sum(results) filter (where exit_code <> 0), 0)::bigint as failures,
    coalesce(jsonb_object_agg(exit_code, results) filter (where exit_code <> 0), '{}') as failures_by_exit_code
  from by_exit_code
  group by
    usage_date,
    event,
    status
) as of_hook;

comment on view bi.session_hooks is 'One row per organization, day, hook event and status: what hooks did in the sessions that somebody registered. Commands and their output are not shown.';
comment on column bi.session_hooks.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.session_hooks.org_id is 'Organization id.';
comment on column bi.session_hooks.usage_date is 'UTC day on which the hook started, else on which its message was made; null where the platform says neither.';
comment on column bi.session_hooks.event is 'Event of the hook, such as PostToolUse.';
comment on column bi.session_hooks.status is 'executing, completed or error; null where the platform does not say.';
comment on column bi.session_hooks.results is 'Commands with their results, also those that have none yet.';
comment on column bi.session_hooks.failures is 'Results whose exit code is not 0.';
comment on column bi.session_hooks.failures_by_exit_code is 'The same by exit code: an object with a count for each.';
