-- An answer that was refused is for people to decide: it is seen until a reading succeeds.
alter table etl.slice
  add column refused_at timestamptz,
  add column refusal_told_at timestamptz;

comment on column etl.slice.refused_at is 'When an answer was refused last because it would have shrunk what is held; null once a reading succeeded. A reading that fails in between leaves it.';
comment on column etl.slice.refusal_told_at is 'When a message about a night named the refusal; null until then, and once a reading succeeded.';
