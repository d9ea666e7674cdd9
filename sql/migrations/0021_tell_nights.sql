-- What was told about a night is known to whoever tells next, in whichever process.
alter table etl.run add column told text check (told in ('night_failed', 'night_recovered'));

comment on column etl.run.told is 'Message that was delivered to the webhook about the night of the run, named by the date in arguments; null when none was.';
