-- What the ledger says beside the state of a slice: why its last reading failed although its rows are held, how much
-- of it lies in the archive, and since which day somebody wants its endpoint.

alter table etl.slice
  add column last_error text,
  add column last_failed_at timestamptz,
  add column raw_chunks integer,
  add column raw_rows bigint,
  add column answered_empty_by bigint[] not null default '{}',
  -- one day may have several slices; the key of a slice tells them apart
  drop constraint slice_org_key_endpoint_usage_date_key;

comment on column etl.slice.status is 'loaded (its rows are held, also when a later reading failed), empty (the platform answered and has nothing), pending (answered without rows and not believed, asked again later) or failed (nothing is held and the last try failed).';
comment on column etl.slice.error is 'Why the slice failed; null unless its status is failed.';
comment on column etl.slice.last_error is 'Why the last reading of a loaded slice failed or was refused; null after a success.';
comment on column etl.slice.last_failed_at is 'When the last reading of a loaded slice failed or was refused; null after a success. nightly reads the slice again.';
comment on column etl.slice.raw_chunks is 'Chunks of the slice in etl.raw_slice; null when nothing of it is archived. An archive with another number is not whole.';
comment on column etl.slice.raw_rows is 'Records of the platform in these chunks; null when nothing of the slice is archived.';
comment on column etl.slice.answered_empty_by is 'Runs that got an answer without rows, since the last one that had some; see etl.run.';

-- Until now a reading that failed made a slice failed, also when its rows were held. It may have left rejected rows
-- of its own; without hashes the next answer is not taken for known, and replaces them.
update etl.slice
set
  status = 'loaded',
  last_error = error,
  last_failed_at = coalesce(
    (select coalesce(r.finished_at, r.started_at) from etl.run as r where r.run_id = slice.run_id),
    fetched_at,
    now()
  ),
  error = null,
  content_hash = null,
  source_hash = null
where status = 'failed'
  and (row_count > 0 or table_rows @? '$.* ? (@ > 0)');

-- Where the archive is damaged already, these figures must not agree with it: its last chunk tells how many there
-- were, and each row that is held came from a record of its own.
update etl.slice as s
set
  raw_chunks = archived.chunks,
  raw_rows = greatest(archived.records, s.row_count)
from (
  select
    org_key,
    endpoint,
    slice_key,
    max(chunk) + 1 as chunks,
    sum(row_count) as records
  from etl.raw_slice
  group by
    org_key,
    endpoint,
    slice_key
) as archived
where archived.org_key = s.org_key
  and archived.endpoint = s.endpoint
  and archived.slice_key = s.slice_key;

create table etl.asked_range (
  org_key integer not null references warehouse.dim_org (org_key),
  endpoint text not null,
  first_day date not null,
  primary key (org_key, endpoint)
);

comment on table etl.asked_range is 'One row per organization and daily endpoint that somebody wants the days of.';
comment on column etl.asked_range.org_key is 'Organization, see dim_org.';
comment on column etl.asked_range.endpoint is 'Endpoint that was asked for.';
comment on column etl.asked_range.first_day is 'Earliest UTC day that any backfill asked for. What nightly fills and status calls a gap starts here.';

insert into etl.asked_range (org_key, endpoint, first_day)
select
  org_key,
  endpoint,
  min(usage_date)
from etl.slice
where usage_date is not null
group by
  org_key,
  endpoint;
