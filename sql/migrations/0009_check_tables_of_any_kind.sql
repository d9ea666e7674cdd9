-- What sql/checks asks of every table, whatever its rows are about: a day, a snapshot, or nothing that has a date; and
-- whatever its keys refer to, by one column or by several.

create function etl.day_column(of_table regclass)
returns text
language sql
stable
as $$
  select coalesce(
    (
      select format('t.%I', a.attname)
      from pg_catalog.pg_attribute as a
      where a.attrelid = of_table
        and a.attname in ('usage_date', 'snapshot_date')
        and not a.attisdropped
      order by a.attname desc
      limit 1
    ),
    'null::date'
  )
$$;

comment on function etl.day_column(regclass) is
  'An expression on rows t of a fact: the UTC day that a row is about; null where it is about none.';

create function etl.org_column(of_table regclass)
returns text
language sql
stable
as $$
  select case
    when exists (
      select
      from pg_catalog.pg_attribute as a
      where a.attrelid = of_table
        and a.attname = 'org_key'
        and not a.attisdropped
    ) then 't.org_key'
    else 'null::integer'
  end
$$;

comment on function etl.org_column(regclass) is
  'An expression on rows t of a table: the organization of a row; null where all share it.';

create or replace function etl.orphan_keys()
returns table (
  table_name text,
  column_name text,
  dimension text,
  org_key integer,
  usage_date date,
  row_count bigint
)
language plpgsql
stable
as $$
declare
  declared record;
begin
  for declared in
    select
      c.oid as table_id,
      c.relname as table_name,
      d.relname as dimension,
      string_agg(a.attname, ', ' order by pair.position) as column_names,
      string_agg(format('t.%I is not null', a.attname), ' and ' order by pair.position) as are_given,
      string_agg(format('d.%I = t.%I', k.attname, a.attname), ' and ' order by pair.position) as are_equal
    from pg_catalog.pg_constraint as f
    join pg_catalog.pg_class as c on c.oid = f.conrelid
    join pg_catalog.pg_class as d on d.oid = f.confrelid
    cross join lateral unnest(f.conkey, f.confkey) with ordinality as pair (own, other, position)
    join pg_catalog.pg_attribute as a on a.attrelid = f.conrelid and a.attnum = pair.own
    join pg_catalog.pg_attribute as k on k.attrelid = f.confrelid and k.attnum = pair.other
    where f.contype = 'f'
      and f.conparentid = 0
      and c.relnamespace = 'warehouse'::regnamespace
    group by c.oid, c.relname, d.relname, f.oid, f.conkey
    order by c.relname, f.conkey
  loop
    -- a key of several columns refers to nothing while one of them is null
    return query execute format(
      'select %L::text, %L::text, %L::text, %s, %s, count(*)'
        ' from warehouse.%I as t'
        ' where %s'
        ' and not exists (select from warehouse.%I as d where %s)'
        ' group by 4, 5',
      declared.table_name,
      declared.column_names,
      declared.dimension,
      etl.org_column(declared.table_id),
      etl.day_column(declared.table_id),
      declared.table_name,
      declared.are_given,
      declared.dimension,
      declared.are_equal
    );
  end loop;
end
$$;

comment on function etl.orphan_keys() is
  'Rows whose key, of one column or several, is not where it refers to: one row per declared foreign key of the warehouse, organization and day that has any. Reads every table once per key.';

create function etl.keys_of_another_org()
returns table (
  table_name text,
  column_name text,
  dimension text,
  org_key integer,
  usage_date date,
  row_count bigint
)
language plpgsql
stable
as $$
declare
  declared record;
begin
  for declared in
    select
      c.oid as table_id,
      c.relname as table_name,
      d.relname as dimension,
      a.attname as column_name,
      k.attname as dimension_key
    from pg_catalog.pg_constraint as f
    join pg_catalog.pg_class as c on c.oid = f.conrelid
    join pg_catalog.pg_class as d on d.oid = f.confrelid
    join pg_catalog.pg_attribute as a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
    join pg_catalog.pg_attribute as k on k.attrelid = f.confrelid and k.attnum = f.confkey[1]
    where f.contype = 'f'
      and f.conparentid = 0
      -- a key with org_key in it cannot lead to another organization
      and cardinality(f.conkey) = 1
      and k.attname <> 'org_key'
      and c.relnamespace = 'warehouse'::regnamespace
      and etl.org_column(c.oid) = 't.org_key'
      and etl.org_column(d.oid) = 't.org_key'
    order by c.relname, a.attnum
  loop
    return query execute format(
      'select %L::text, %L::text, %L::text, t.org_key, %s, count(*)'
        ' from warehouse.%I as t'
        ' join warehouse.%I as d on d.%I = t.%I and d.org_key <> t.org_key'
        ' group by 4, 5',
      declared.table_name,
      declared.column_name,
      declared.dimension,
      etl.day_column(declared.table_id),
      declared.table_name,
      declared.dimension,
      declared.dimension_key,
      declared.column_name
    );
  end loop;
end
$$;

comment on function etl.keys_of_another_org() is
  'Rows that refer to something of another organization: one row per declared foreign key between tables that both have an organization, organization and day that has any. Reads every such table once per key.';

create or replace function etl.negative_measures()
returns table (
  table_name text,
  column_name text,
  org_key integer,
  usage_date date,
  row_count bigint
)
language plpgsql
stable
as $$
declare
  fact record;
begin
  for fact in
    select
      c.oid as table_id,
      c.relname as table_name,
      string_agg(format('(%L, t.%I::double precision)', a.attname, a.attname), ', ' order by a.attnum) as pairs,
      string_agg(format('t.%I < 0', a.attname), ' or ' order by a.attnum) as any_negative
    from pg_catalog.pg_class as c
    join pg_catalog.pg_attribute as a on a.attrelid = c.oid
    where c.relnamespace = 'warehouse'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname ~ '^fact_'
      and a.attnum > 0
      and not a.attisdropped
      and a.atttypid in ('bigint'::regtype, 'double precision'::regtype, 'numeric'::regtype)
    group by c.oid, c.relname
    order by c.relname
  loop
    return query execute format(
      'select %L::text, m.measure_name, %s, %s, count(*)'
        ' from warehouse.%I as t'
        ' cross join lateral (values %s) as m (measure_name, measured)'
        ' where (%s) and m.measured < 0'
        ' group by 2, 3, 4',
      fact.table_name,
      etl.org_column(fact.table_id),
      etl.day_column(fact.table_id),
      fact.table_name,
      fact.pairs,
      fact.any_negative
    );
  end loop;
end
$$;

comment on function etl.negative_measures() is
  'Rows with a measure below zero, one row per measure, organization and day that has any. Reads every fact.';

-- What every fact or bridge has alike, said once: for the migration that creates one.
create procedure etl.describe_shared_columns(of_table regclass)
language plpgsql
as $$
declare
  not_enforced constant text :=
    case when current_setting('server_version_num')::integer >= 180000 then ' not enforced' else '' end;
  shared record;
begin
  for shared in
    select
      a.attname as column_name,
      case
        when a.attname = 'loaded_at'
          then 'When the values of the row last changed; a load that finds them equal leaves it alone.'
        when a.attgenerated <> ''
          then format('Digest of %s, see warehouse.natural_key_digest.', regexp_replace(a.attname, '_digest$', ''))
        when a.attname = 'org_key' then 'Organization, see dim_org.'
        when a.attname = 'usage_date' then 'UTC day that the row is about, see dim_date.'
        when a.attname = 'snapshot_date' then 'UTC day on which the row was read, see dim_date.'
        else format('See %s.', d.relname)
      end as description,
      d.relname as dimension,
      k.attname as dimension_key
    from pg_catalog.pg_attribute as a
    left join (
      pg_catalog.pg_constraint as p
      join pg_catalog.pg_class as d on d.oid = p.conrelid
      join pg_catalog.pg_attribute as k on k.attrelid = d.oid and k.attnum = p.conkey[1]
    ) on p.contype = 'p'
      and cardinality(p.conkey) = 1
      and d.relnamespace = 'warehouse'::regnamespace
      and d.relname ~ '^dim_'
      and k.attname = case when a.attname in ('usage_date', 'snapshot_date') then 'date_day' else a.attname end
    where a.attrelid = of_table
      and a.attnum > 0
      and not a.attisdropped
      and (a.attname = 'loaded_at' or a.attgenerated <> '' or d.oid is not null)
    order by a.attnum
  loop
    execute format('comment on column %s.%I is %L', of_table, shared.column_name, shared.description);
    if shared.dimension is not null then
      -- before Postgres 18 a key is always enforced
      execute format(
        'alter table %s add foreign key (%I) references warehouse.%I (%I)%s',
        of_table,
        shared.column_name,
        shared.dimension,
        shared.dimension_key,
        not_enforced
      );
    end if;
  end loop;
end
$$;

comment on procedure etl.describe_shared_columns(regclass) is
  'For a new fact or bridge: comments on org_key, the day, keys of dimensions, digests and loaded_at, and their foreign keys, not enforced from Postgres 18 on.';
