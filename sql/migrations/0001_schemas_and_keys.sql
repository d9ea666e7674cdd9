-- What all later files rest on: what the schemas are for, and the digest of natural keys.

-- `migrate` has made the schemas. Only the owner of a schema may comment on it, and that may be an administrator.
do $$
declare
  described record;
begin
  for described in
    select *
    from (
      values
        ('warehouse', 'The star: dimensions, facts and bridges of daily usage, one organization and UTC day at a time.'),
        ('bi', 'One view per question, with plain column names; personal data is masked.'),
        ('bi_people', 'The few views that name persons, for those who may see them.'),
        ('etl', 'How the data got here: runs, slices, rejected rows, drift, the raw archive and check results.')
    ) as list (schema_name, description)
    join pg_catalog.pg_namespace as namespace on namespace.nspname = list.schema_name
    where pg_has_role(namespace.nspowner, 'usage')
  loop
    execute format('comment on schema %I is %L', described.schema_name, described.description);
  end loop;
end
$$;

-- Declared immutable although `convert_to` and the text form of an array are only stable: the first depends
-- on the encoding of the database, which never changes, the second for text elements on nothing at all.
-- The text form of an array quotes its elements, so ('a,b') and ('a', 'b') differ.
create function warehouse.natural_key_digest(variadic parts text[])
returns bytea
language sql
immutable
strict
parallel safe
return sha256(convert_to(parts::text, 'UTF8'));

comment on function warehouse.natural_key_digest(text[]) is
  'SHA-256 (32 bytes) of a natural key. Names may have any length, a btree entry only about 2700 bytes, so uniqueness rests on this.';
