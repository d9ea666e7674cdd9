-- The numbers of the locks that keep runs and migrations apart. Any role that may connect can hold any number, and
-- can see which ones are held: so a number that somebody else holds must be given up for another.

create table etl.lock_number (
  subject text primary key,
  lock_number integer not null unique,
  drawn_at timestamptz not null default now()
);

comment on table etl.lock_number is 'One row per thing that one run at a time may work on: what its advisory lock is called at present.';
comment on column etl.lock_number.subject is '''schema'', or ''organization'' and its org_key.';
comment on column etl.lock_number.lock_number is 'Second half of the advisory lock. Drawn at random; drawn anew when another role holds it.';
comment on column etl.lock_number.drawn_at is 'When the number was drawn.';

alter table etl.run
  add column lock_number integer;

comment on column etl.run.lock_number is 'Second half of the advisory lock that the run holds while it lives, drawn at random; null for runs of earlier versions.';
