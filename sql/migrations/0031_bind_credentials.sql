-- A credential belongs to one organization: an answer that names another one is a mistake of somebody, and must not
-- begin a second organization in silence.
create table etl.credential (
  credential_digest bytea primary key,
  org_id text not null,
  bound_at timestamptz not null default now()
);

comment on table etl.credential is 'One row per address of a platform and API key with which a run was answered. Delete the row where the organization of a key has really changed.';
comment on column etl.credential.credential_digest is 'SHA-256 of the address and the key.';
comment on column etl.credential.org_id is 'Organization that the first answer named, exactly as it did.';
comment on column etl.credential.bound_at is 'When that was.';
