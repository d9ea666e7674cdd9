-- A day that runs of three days found without rows stays empty, whatever other endpoints hold and whichever of these
-- runs have expired since.
alter table etl.slice
  add column believed_by text check (believed_by in ('days', 'figures', 'endpoints'));

comment on column etl.slice.believed_by is 'Why an empty slice is believed to be: days (runs that began on three UTC days were answered so), figures (another endpoint says that nobody was active) or endpoints (all of them answered without rows). Null of any other slice, and where an earlier version believed it.';

update etl.slice as slice
set believed_by = 'days'
where slice.status = 'empty'
  and (
    select count(distinct (r.started_at at time zone 'UTC')::date)
    from etl.run as r
    where r.run_id = any(slice.answered_empty_by)
  ) >= 3;
