-- Of the names of forgotten persons only digests are stored, and their key is in the same schema. So who may read this schema
-- can find out whether a name that they know was forgotten, but cannot read the names.

create table etl.forgotten_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null check (octet_length(key) = 32)
);

comment on table etl.forgotten_key is 'The key of the digests: one row as soon as somebody was forgotten.';
comment on column etl.forgotten_key.is_only is 'Always true: there is one key.';
comment on column etl.forgotten_key.key is 'Random key of the digests in etl.forgotten_name and of the pseudonyms. With another key forgotten persons would be loaded as new ones.';

create table etl.forgotten_name (
  kind text not null check (
    kind in ('user_id', 'asked_email', 'sole_email', 'shared_email', 'new_email')
  ),
  digest bytea not null,
  forgotten_at timestamptz not null default now(),
  primary key (kind, digest)
);

comment on table etl.forgotten_name is 'One row per kind and name (e-mail or user id) of a forgotten person.';
comment on column etl.forgotten_name.kind is 'user_id: this user is forgotten. asked_email: every user with this e-mail is forgotten, also later ones. sole_email: nobody else ever had it; it is removed from all rows, also of later users. shared_email: others have it, too, and keep it. new_email: sole or shared, not known yet. E-mails are in lower case and count in every organization.';
comment on column etl.forgotten_name.digest is 'HMAC-SHA-256 of the name under etl.forgotten_key.';
comment on column etl.forgotten_name.forgotten_at is 'When the program learned the name.';

create table etl.forgotten_in (
  org_key integer primary key references warehouse.dim_org (org_key),
  names bigint not null,
  finished_at timestamptz not null default now()
);

comment on table etl.forgotten_in is 'One row per organization whose rows were searched for forgotten persons.';
comment on column etl.forgotten_in.org_key is 'Organization, see dim_org.';
comment on column etl.forgotten_in.names is 'Number of rows of etl.forgotten_name at that time. If there are more now, the next run searches again before it loads.';
comment on column etl.forgotten_in.finished_at is 'When the search was finished.';

-- With USER_EMAIL=none a keyed digest replaces each address. Without a key, anybody could compare the digests with a list of
-- addresses.
create table etl.address_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null check (octet_length(key) = 32)
);

comment on table etl.address_key is 'One row: the key of the digests that replace e-mail addresses with USER_EMAIL=none.';
comment on column etl.address_key.is_only is 'Always true: there is one key.';
comment on column etl.address_key.key is 'Random key. With another key a user whose id is an address would become a new user.';

insert into etl.address_key (key)
select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
