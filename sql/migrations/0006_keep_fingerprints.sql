-- What migrate has seen of its own files: a view whose file has not changed is left alone, and a migration that
-- somebody edits after it was applied is found.

alter table etl.migration
  add column checksum text;

comment on column etl.migration.checksum is 'SHA-256 of the file when it was applied, or when this column came.';

create table etl.view_fingerprint (
  file_name text primary key,
  fingerprint text not null,
  applied_at timestamptz not null default now()
);

comment on table etl.view_fingerprint is 'One row per file in sql/views as it was last applied.';
comment on column etl.view_fingerprint.file_name is 'File name in sql/views.';
comment on column etl.view_fingerprint.fingerprint is 'SHA-256 of the file; while it is the same, the views in it are left alone.';
comment on column etl.view_fingerprint.applied_at is 'When the views in the file were last created or replaced.';
