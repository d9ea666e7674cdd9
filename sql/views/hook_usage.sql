-- Which hooks run? Commands are shell scripts, so everything that looks like a secret is hidden.
create or replace view bi.hook_usage as
select
  f.org_key,
  o.org_id,
  f.usage_date,
  h.event_shown as event,
  h.matcher_shown as matcher,
  h.command_shown as command,
  sum(f.invocations) as invocations
from warehouse.fact_hook_daily as f
join warehouse.dim_org as o on o.org_key = f.org_key
join warehouse.dim_hook as h on h.hook_key = f.hook_key
group by
  f.org_key,
  o.org_id,
  f.usage_date,
  h.event_shown,
  h.matcher_shown,
  h.command_shown;

comment on view bi.hook_usage is 'One row per organization, UTC day, event, matcher and command as shown: at most 200 characters, with … instead of anything that looks like an e-mail, a key or a token. Commands that look alike then are one row.';
