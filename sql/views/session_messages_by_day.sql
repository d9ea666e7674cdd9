-- How much is said in agent sessions, by whom and by which model? Only of sessions that somebody registered.
create or replace view bi.session_messages_by_day as
select
  o.org_key,
  o.org_id,
  of_day.*
from warehouse.dim_org as o
cross join lateral (
  select
    (m.created_at at time zone 'utc')::date as usage_date,
    d.model_id_shown as model_id,
    m.role_shown as role,
    count(distinct m.session_id_digest) as sessions,
    count(*) as messages,
    count(*) filter (where m.is_error) as errors,
    count(*) filter (where m.hidden_from_user_views) as hidden,
    sum(m.content_char_count)::bigint as characters
  from warehouse.fact_session_message as m
  left join warehouse.dim_model as d on d.model_key = m.model_key
  where m.org_key = o.org_key
  group by
    (m.created_at at time zone 'utc')::date,
    d.model_id_shown,
    m.role_shown
) as of_day;

comment on view bi.session_messages_by_day is 'One row per organization, day, model and role: messages of the sessions that somebody registered, which need not be all sessions of the organization.';
comment on column bi.session_messages_by_day.org_key is 'Organization key, see warehouse.dim_org.';
comment on column bi.session_messages_by_day.org_id is 'Organization id.';
comment on column bi.session_messages_by_day.usage_date is 'UTC day on which the messages were made; null where the platform does not say.';
comment on column bi.session_messages_by_day.model_id is 'Model as reported; null where no model wrote the message.';
comment on column bi.session_messages_by_day.role is 'user, assistant, tool or system; null where a list of messages does not say it.';
comment on column bi.session_messages_by_day.sessions is 'Sessions with such a message. Not additive over days, models or roles: a session is counted in each.';
comment on column bi.session_messages_by_day.messages is 'Messages.';
comment on column bi.session_messages_by_day.errors is 'Messages that tell of an error.';
comment on column bi.session_messages_by_day.hidden is 'Messages that views of users leave out.';
comment on column bi.session_messages_by_day.characters is 'Unicode code points of all texts in the messages, whether the texts are kept or not.';
