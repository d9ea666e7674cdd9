-- Runs are removed some day (`maintenance`), and what names them stays: it then names none.

do $$
declare
  reference record;
begin
  for reference in
    select
      con.conrelid::regclass as table_name,
      con.conname as constraint_name
    from pg_constraint as con
    where con.contype = 'f'
      and con.confrelid = 'etl.run'::regclass
  loop
    execute format(
      'alter table %1$s
        drop constraint %2$I,
        add constraint %2$I foreign key (run_id) references etl.run (run_id) on delete set null',
      reference.table_name,
      reference.constraint_name
    );
  end loop;
end
$$;

-- Otherwise each run that goes would have each of these tables read from end to end.
create index slice_run_idx on etl.slice (run_id);
create index rejected_row_run_idx on etl.rejected_row (run_id);
create index drift_run_idx on etl.drift (run_id);
create index raw_slice_run_idx on etl.raw_slice (run_id);
create index check_result_run_idx on etl.check_result (run_id);

comment on table etl.run is 'One row per run of a job, until it is older than RUN_RETENTION_DAYS; the newest of each job stays.';
comment on column etl.slice.run_id is 'Run that last worked on the slice, see etl.run; null once that row is gone.';
comment on column etl.rejected_row.run_id is 'Run that rejected the row, see etl.run; null once that row is gone.';
comment on column etl.drift.run_id is 'Run that last saw it, see etl.run; null once that row is gone.';
comment on column etl.raw_slice.run_id is 'Run that fetched the chunk, see etl.run; null once that row is gone.';
comment on column etl.check_result.run_id is 'Run that compared, see etl.run; null once that row is gone.';

-- `http://host//owner//name` is `http://host/owner/name`; its owner was `owner/`.
create or replace function warehouse.repository_path(repo_url text)
returns text
language sql
immutable
strict
parallel safe
return btrim(
  regexp_replace(
    regexp_replace(btrim((warehouse.repository_address(repo_url))[2], E'/ \t\r\n'), '\.git$', '', 'i'),
    '/+',
    '/',
    'g'
  ),
  '/'
);

update warehouse.dim_repository
set repo_url = repo_url
where repo_url ~ '//.*//';

-- With USER_EMAIL=none the next load takes out who reads a repository (`https://jane@host/owner/name`), too.
update etl.raw_slice
set may_hold_emails = true
where not may_hold_emails;
