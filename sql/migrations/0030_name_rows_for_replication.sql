-- A table without a key stops every change of its rows as soon as a publication has it, and one `for all tables` does.
alter table etl.summed_credits
  add column row_id bigint generated always as identity primary key;

comment on column etl.summed_credits.row_id is 'Names the row, for logical replication. Nothing refers to it.';

-- The same where a part of the key is a digest that Postgres makes: from version 18 on such a key names no row of a
-- publication that does not publish generated columns, and a publication does not unless it is told to.
alter table warehouse.fact_readiness_app add column row_id bigint generated always as identity;
create unique index fact_readiness_app_row_id_key on warehouse.fact_readiness_app (row_id);
alter table warehouse.fact_readiness_app replica identity using index fact_readiness_app_row_id_key;
comment on column warehouse.fact_readiness_app.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table warehouse.fact_computer_step_daily add column row_id bigint generated always as identity;
create unique index fact_computer_step_daily_row_id_key on warehouse.fact_computer_step_daily (row_id);
alter table warehouse.fact_computer_step_daily replica identity using index fact_computer_step_daily_row_id_key;
comment on column warehouse.fact_computer_step_daily.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table warehouse.bridge_computer_repository_daily add column row_id bigint generated always as identity;
create unique index bridge_computer_repository_daily_row_id_key on warehouse.bridge_computer_repository_daily (row_id);
alter table warehouse.bridge_computer_repository_daily replica identity using index bridge_computer_repository_daily_row_id_key;
comment on column warehouse.bridge_computer_repository_daily.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table warehouse.fact_session_message add column row_id bigint generated always as identity;
create unique index fact_session_message_row_id_key on warehouse.fact_session_message (row_id);
alter table warehouse.fact_session_message replica identity using index fact_session_message_row_id_key;
comment on column warehouse.fact_session_message.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table warehouse.fact_session_content_block add column row_id bigint generated always as identity;
create unique index fact_session_content_block_row_id_key on warehouse.fact_session_content_block (row_id);
alter table warehouse.fact_session_content_block replica identity using index fact_session_content_block_row_id_key;
comment on column warehouse.fact_session_content_block.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table warehouse.fact_session_hook_result add column row_id bigint generated always as identity;
create unique index fact_session_hook_result_row_id_key on warehouse.fact_session_hook_result (row_id);
alter table warehouse.fact_session_hook_result replica identity using index fact_session_hook_result_row_id_key;
comment on column warehouse.fact_session_hook_result.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table warehouse.credit_limit add column row_id bigint generated always as identity;
create unique index credit_limit_row_id_key on warehouse.credit_limit (row_id);
alter table warehouse.credit_limit replica identity using index credit_limit_row_id_key;
comment on column warehouse.credit_limit.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table warehouse.person_assignment add column row_id bigint generated always as identity;
create unique index person_assignment_row_id_key on warehouse.person_assignment (row_id);
alter table warehouse.person_assignment replica identity using index person_assignment_row_id_key;
comment on column warehouse.person_assignment.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table warehouse.credit_price add column row_id bigint generated always as identity;
create unique index credit_price_row_id_key on warehouse.credit_price (row_id);
alter table warehouse.credit_price replica identity using index credit_price_row_id_key;
comment on column warehouse.credit_price.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table etl.drift add column row_id bigint generated always as identity;
create unique index drift_row_id_key on etl.drift (row_id);
alter table etl.drift replica identity using index drift_row_id_key;
comment on column etl.drift.row_id is 'Names the row, for logical replication. Nothing refers to it.';

alter table etl.session add column row_id bigint generated always as identity;
create unique index session_row_id_key on etl.session (row_id);
alter table etl.session replica identity using index session_row_id_key;
comment on column etl.session.row_id is 'Names the row, for logical replication. Nothing refers to it.';
