-- Facts from /tokens.

create table warehouse.fact_token_daily (
  org_key integer,
  usage_date date,
  billable_tokens numeric,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date)
);

comment on table warehouse.fact_token_daily is 'One row per organization and day: credits and tokens consumed.';
comment on column warehouse.fact_token_daily.billable_tokens is 'Standard Credits consumed, after cache discounts.';
comment on column warehouse.fact_token_daily.input_tokens is 'Raw input tokens.';
comment on column warehouse.fact_token_daily.output_tokens is 'Raw output tokens.';
comment on column warehouse.fact_token_daily.cache_read_tokens is 'Tokens read from the prompt cache.';
comment on column warehouse.fact_token_daily.cache_write_tokens is 'Tokens written to the prompt cache.';
call etl.describe_shared_columns('warehouse.fact_token_daily');

create table warehouse.fact_token_model_daily (
  org_key integer,
  usage_date date,
  model_key integer,
  billable_tokens numeric,
  input_tokens bigint,
  output_tokens bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, model_key)
);

comment on table warehouse.fact_token_model_daily is 'One row per organization, day and model: credits and tokens consumed.';
comment on column warehouse.fact_token_model_daily.billable_tokens is 'Standard Credits consumed with the model.';
comment on column warehouse.fact_token_model_daily.input_tokens is 'Raw input tokens of the model.';
comment on column warehouse.fact_token_model_daily.output_tokens is 'Raw output tokens of the model.';
call etl.describe_shared_columns('warehouse.fact_token_model_daily');

create table warehouse.fact_token_user_daily (
  org_key integer,
  usage_date date,
  user_key integer,
  billable_tokens numeric,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, user_key)
);

comment on table warehouse.fact_token_user_daily is 'One row per organization, day and user: credits consumed.';
comment on column warehouse.fact_token_user_daily.billable_tokens is 'Standard Credits consumed by the user, as /tokens reports them.';
call etl.describe_shared_columns('warehouse.fact_token_user_daily');

create table warehouse.fact_token_user_model_daily (
  org_key integer,
  usage_date date,
  user_key integer,
  model_key integer,
  billable_tokens numeric,
  input_tokens bigint,
  output_tokens bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, user_key, model_key)
);

comment on table warehouse.fact_token_user_model_daily is 'One row per organization, day, user and model: credits and tokens consumed.';
comment on column warehouse.fact_token_user_model_daily.billable_tokens is 'Standard Credits consumed by the user with the model.';
comment on column warehouse.fact_token_user_model_daily.input_tokens is 'Raw input tokens of the user with the model.';
comment on column warehouse.fact_token_user_model_daily.output_tokens is 'Raw output tokens of the user with the model.';
call etl.describe_shared_columns('warehouse.fact_token_user_model_daily');
