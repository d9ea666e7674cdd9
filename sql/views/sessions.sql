-- What happened in each agent session? Only of sessions that somebody registered.
create or replace view bi.sessions as
select
  o.org_key,
  o.org_id,
  of_session.*
from warehouse.dim_org as o
cross join lateral (
  -- CTEs, as in bi.computer_status
  with message as (
    select
      m.session_id_digest,
      min(m.created_at) as first_message_at,
      max(m.created_at) as last_message_at,
      count(*) as messages,
      count(*) filter (where m.role = 'user') as user_messages,
      count(*) filter (where m.role = 'assistant') as assistant_messages,
      count(*) filter (where m.role = 'tool') as tool_messages,
      count(*) filter (where m.role = 'system') as system_messages,
      count(*) filter (where m.is_error) as errors,
      sum(m.content_char_count)::bigint as characters,
      array_agg(distinct d.model_id_shown order by d.model_id_shown) filter (where d.model_id_shown is not null)
        as models
    from warehouse.fact_session_message as m
    left join warehouse.dim_model as d on d.model_key = m.model_key
    where m.org_key = o.org_key
    group by m.session_id_digest
  ),
  hook as (
    select
      r.session_id_digest,
      count(*) filter (where r.exit_code <> 0) as failures
    from warehouse.fact_session_hook_result as r
    where r.org_key = o.org_key
    group by r.session_id_digest
  )
  select
    s.session_id_shown as session_id,
    message.first_message_at,
    message.last_message_at,
    coalesce(message.messages, 0) as messages,
    coalesce(message.user_messages, 0) as user_messages,
    coalesce(message.assistant_messages, 0) as assistant_messages,
    coalesce(message.tool_messages, 0) as tool_messages,
    coalesce(message.system_messages, 0) as system_messages,
    coalesce(message.errors, 0) as errors,
    coalesce(message.characters, 0) as characters,
    coalesce(message.models, '{}') as models,
    coalesce(hook.failures, 0) as hook_failures,
    extract(epoch from message.last_message_at - message.first_message_at)::double precision as duration_seconds,
    s.registered_at,
    s.ended_at,
    s.finished_at
  from etl.session as s
  left join message on message.session_id_digest = s.session_id_digest
  left join hook on hook.session_id_digest = s.session_id_digest
  where s.org_key = o.org_key
) as of_session;

comment on view bi.sessions is 'One row per organization and session that somebody registered, also those without messages.';
comment on column bi.sessions.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.sessions.org_id is 'Organization id.';
comment on column bi.sessions.session_id is 'Id of the session.';
comment on column bi.sessions.first_message_at is 'When its first message was made; null where none is loaded.';
comment on column bi.sessions.last_message_at is 'When its last message was made; null where none is loaded.';
comment on column bi.sessions.messages is 'Messages of any role, also those whose role is not said.';
comment on column bi.sessions.user_messages is 'Messages of the user.';
comment on column bi.sessions.assistant_messages is 'Messages of the assistant.';
comment on column bi.sessions.tool_messages is 'Messages of tools.';
comment on column bi.sessions.system_messages is 'Messages of the system.';
comment on column bi.sessions.errors is 'Messages that tell of an error.';
comment on column bi.sessions.characters is 'Unicode code points of all texts in the messages, whether the texts are kept or not.';
comment on column bi.sessions.models is 'Models that wrote messages, in order of their names; empty where none is reported.';
comment on column bi.sessions.hook_failures is 'Results of hooks whose exit code is not 0.';
comment on column bi.sessions.duration_seconds is 'Seconds from the first to the last message. Not additive where sessions ran at the same time.';
comment on column bi.sessions.registered_at is 'When the session was first wanted.';
comment on column bi.sessions.ended_at is 'When a hook told of its end; null where none did.';
comment on column bi.sessions.finished_at is 'Since when it is not read any more; null while it is.';
