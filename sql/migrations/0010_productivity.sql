-- Facts from /productivity.

create table warehouse.fact_productivity_daily (
  org_key integer,
  usage_date date,
  files_created bigint,
  files_edited bigint,
  git_commits bigint,
  git_prs_created bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date)
);

comment on table warehouse.fact_productivity_daily is 'One row per organization and day: files and git work.';
comment on column warehouse.fact_productivity_daily.files_created is 'Files created.';
comment on column warehouse.fact_productivity_daily.files_edited is 'Files edited.';
comment on column warehouse.fact_productivity_daily.git_commits is 'Git commits.';
comment on column warehouse.fact_productivity_daily.git_prs_created is 'Pull requests created.';
call etl.describe_shared_columns('warehouse.fact_productivity_daily');

create table warehouse.fact_file_extension_daily (
  org_key integer,
  usage_date date,
  file_extension_key integer,
  file_operations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, file_extension_key)
);

comment on table warehouse.fact_file_extension_daily is 'One row per organization, day and file extension.';
comment on column warehouse.fact_file_extension_daily.file_operations is 'File operations on files with the extension.';
call etl.describe_shared_columns('warehouse.fact_file_extension_daily');

create table warehouse.fact_language_daily (
  org_key integer,
  usage_date date,
  language_key integer,
  file_operations bigint,
  loaded_at timestamptz not null default now(),
  primary key (org_key, usage_date, language_key)
);

comment on table warehouse.fact_language_daily is 'One row per organization, day and programming language.';
comment on column warehouse.fact_language_daily.file_operations is 'File operations on files of the language.';
call etl.describe_shared_columns('warehouse.fact_language_daily');
