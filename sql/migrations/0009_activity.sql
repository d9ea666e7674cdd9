-- Facts from /activity.

create table warehouse.fact_activity_daily (
  org_key integer,
  usage_date date,
  daily_active_users bigint,
  weekly_active_users bigint,
  monthly_active_users bigint,
  sessions bigint,
  messages bigint,
  user_messages bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date)
);

comment on table warehouse.fact_activity_daily is 'One row per organization and day: active users, sessions and messages.';
comment on column warehouse.fact_activity_daily.daily_active_users is 'Unique users active on the day. Not additive over days: the same user counts each day.';
comment on column warehouse.fact_activity_daily.weekly_active_users is 'Unique users active in the 7 days that end with the day. Not additive over days: the windows overlap.';
comment on column warehouse.fact_activity_daily.monthly_active_users is 'Unique users active in the 30 days that end with the day. Not additive over days: the windows overlap.';
comment on column warehouse.fact_activity_daily.sessions is 'Sessions.';
comment on column warehouse.fact_activity_daily.messages is 'Messages of users and assistants.';
comment on column warehouse.fact_activity_daily.user_messages is 'Messages of users.';
call etl.describe_shared_columns('warehouse.fact_activity_daily');

create table warehouse.fact_activity_client_daily (
  org_key integer,
  usage_date date,
  client_key integer,
  daily_active_users bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, client_key)
);

comment on table warehouse.fact_activity_client_daily is 'One row per organization, day and client type.';
comment on column warehouse.fact_activity_client_daily.daily_active_users is 'Unique users active on the client. Not additive over days, nor over clients: a user of several clients counts in each.';
call etl.describe_shared_columns('warehouse.fact_activity_client_daily');
