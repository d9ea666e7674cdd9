-- The base of all later files: comments on the schemas, and the digest of natural keys.

-- `migrate` has created the schemas. Only the owner of a schema may comment on it, and the owner may be an administrator.
do $$
declare
  described record;
begin
  for described in
    select *
    from (
      values
        ('warehouse', 'The star schema: dimensions, facts and bridges. Most facts are daily, per organization and UTC day.'),
        ('bi', 'One view per question, with plain column names; personal data is masked.'),
        ('bi_people', 'Views that name persons, for roles that may see personal data.'),
        ('etl', 'The ledger: runs, slices, rejected rows, drift, the raw archive and check results.')
    ) as list (schema_name, description)
    join pg_catalog.pg_namespace as namespace on namespace.nspname = list.schema_name
    where pg_has_role(namespace.nspowner, 'usage')
  loop
    execute format('comment on schema %I is %L', described.schema_name, described.description);
  end loop;
end
$$;

-- This function is immutable, although Postgres marks `convert_to` and the text form of an array as stable. `convert_to`
-- depends on the encoding of the database, which never changes. The text form of a text array depends on nothing.
-- It quotes the elements, so ('a,b') and ('a', 'b') have different digests.
create function warehouse.natural_key_digest(variadic parts text[])
returns bytea
language sql
immutable
strict
parallel safe
return sha256(convert_to(parts::text, 'UTF8'));

comment on function warehouse.natural_key_digest(text[]) is
  'SHA-256 (32 bytes) of a natural key. Unique keys use this digest, because names may have any length and a btree entry holds only about 2700 bytes.';
