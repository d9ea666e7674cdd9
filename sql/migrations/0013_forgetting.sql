-- Who is forgotten: digests only. The key lies beside them, so whoever reads this schema can tell whether a name that
-- they already have is among them, and nothing more.

create table etl.forgotten_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null check (octet_length(key) = 32)
);

comment on table etl.forgotten_key is 'One row once somebody was forgotten: the key of the digests.';
comment on column etl.forgotten_key.is_only is 'Always true: there is one key.';
comment on column etl.forgotten_key.key is 'Key of the digests in etl.forgotten_name and of the pseudonyms, random. Another one would make new persons of those who are forgotten.';

create table etl.forgotten_name (
  kind text not null check (
    kind in ('user_id', 'email', 'asked_email', 'sole_email', 'shared_email', 'new_email')
  ),
  digest bytea not null,
  forgotten_at timestamptz not null default now(),
  primary key (kind, digest)
);

comment on table etl.forgotten_name is 'One row per name of a person who is forgotten, and meaning: an e-mail, or a user id.';
comment on column etl.forgotten_name.kind is 'user_id; asked_email: whoever has it is forgotten; sole_email: nobody else ever had it, and it is withheld from whoever has it later; shared_email: others have it, too, and keep it; new_email: not known yet which of the two; email: kept by an earlier version. E-mails in lower case, of any organization.';
comment on column etl.forgotten_name.digest is 'HMAC-SHA-256 of the name under etl.forgotten_key.';
comment on column etl.forgotten_name.forgotten_at is 'When the name came to be known as that of a forgotten person.';

create table etl.forgotten_in (
  org_key integer primary key references warehouse.dim_org (org_key),
  names bigint not null,
  finished_at timestamptz not null default now()
);

comment on table etl.forgotten_in is 'One row per organization whose rows were searched for forgotten persons.';
comment on column etl.forgotten_in.org_key is 'Organization, see dim_org.';
comment on column etl.forgotten_in.names is 'How many rows etl.forgotten_name had then; with more by now, the next run searches again before it loads.';
comment on column etl.forgotten_in.finished_at is 'When the search was finished.';

-- What stands in the place of addresses where none are stored is a digest under a key: without one, a list of addresses
-- could be compared with it.
create table etl.address_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null check (octet_length(key) = 32)
);

comment on table etl.address_key is 'One row: the key of what stands in the place of e-mail addresses where none are stored.';
comment on column etl.address_key.is_only is 'Always true: there is one key.';
comment on column etl.address_key.key is 'Random. Another one would make new persons of those whose user id was an address.';

insert into etl.address_key (key)
select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
