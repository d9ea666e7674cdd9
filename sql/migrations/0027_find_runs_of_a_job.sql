-- Whether a run is the newest of its job, and has to stay, is asked for each one that expires. Otherwise every batch of
-- them would have the table read from end to end.
create index run_job_idx on etl.run (job, started_at, run_id);
