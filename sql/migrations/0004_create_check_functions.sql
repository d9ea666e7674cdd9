-- What sql/checks asks of every fact alike. The tables are found in the catalog, so that a table added later is
-- checked without a change here.

create view etl.table_endpoint as
select
  listed.table_name,
  s.endpoint,
  bool_and(s.usage_date is not null) as is_daily
from etl.slice as s
cross join lateral jsonb_object_keys(s.table_rows) as listed (table_name)
group by
  listed.table_name,
  s.endpoint;

comment on view etl.table_endpoint is 'One row per warehouse table and endpoint that fed it, as the slice ledger has it.';
comment on column etl.table_endpoint.table_name is 'Table in the schema warehouse.';
comment on column etl.table_endpoint.endpoint is 'Endpoint that feeds it.';
comment on column etl.table_endpoint.is_daily is 'Whether the slices of the endpoint are UTC days.';

create function etl.rows_per_day()
returns table (
  table_name text,
  org_key integer,
  usage_date date,
  row_count bigint
)
language plpgsql
stable
as $$
begin
  for table_name in
    select c.relname
    from pg_catalog.pg_class as c
    join pg_catalog.pg_attribute as d on d.attrelid = c.oid and d.attname = 'usage_date'
    where c.relnamespace = 'warehouse'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname ~ '^(fact|bridge)_'
    order by c.relname
  loop
    return query execute format(
      'select %L::text, org_key, usage_date, count(*) from warehouse.%I group by org_key, usage_date',
      table_name, table_name
    );
  end loop;
end
$$;

comment on function etl.rows_per_day() is
  'Rows stored, one row per fact or bridge table, organization and day that has any. Reads every fact.';

create function etl.orphan_keys()
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
      c.relname as table_name,
      a.attname as column_name,
      d.relname as dimension,
      k.attname as dimension_key,
      exists (
        select
        from pg_catalog.pg_attribute as u
        where u.attrelid = c.oid
          and u.attname = 'usage_date'
      ) as is_daily
    from pg_catalog.pg_constraint as f
    join pg_catalog.pg_class as c on c.oid = f.conrelid
    join pg_catalog.pg_class as d on d.oid = f.confrelid
    join pg_catalog.pg_attribute as a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
    join pg_catalog.pg_attribute as k on k.attrelid = f.confrelid and k.attnum = f.confkey[1]
    where f.contype = 'f'
      and f.conparentid = 0
      and cardinality(f.conkey) = 1
      and c.relnamespace = 'warehouse'::regnamespace
    order by c.relname, a.attnum
  loop
    return query execute format(
      'select %L::text, %L::text, %L::text, t.org_key, %s, count(*)'
        ' from warehouse.%I as t'
        ' where t.%I is not null'
        ' and not exists (select from warehouse.%I as d where d.%I = t.%I)'
        ' group by 4, 5',
      declared.table_name,
      declared.column_name,
      declared.dimension,
      case when declared.is_daily then 't.usage_date' else 'null::date' end,
      declared.table_name,
      declared.column_name,
      declared.dimension,
      declared.dimension_key,
      declared.column_name
    );
  end loop;
end
$$;

comment on function etl.orphan_keys() is
  'Rows whose key is not in its dimension, one row per declared foreign key of the warehouse, organization and day that has any. Reads every fact once per key.';

create function etl.negative_measures()
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
      c.relname as table_name,
      string_agg(format('(%L, t.%I::double precision)', a.attname, a.attname), ', ' order by a.attnum) as pairs,
      string_agg(format('t.%I < 0', a.attname), ' or ' order by a.attnum) as any_negative
    from pg_catalog.pg_class as c
    join pg_catalog.pg_attribute as a on a.attrelid = c.oid
    join pg_catalog.pg_attribute as d on d.attrelid = c.oid and d.attname = 'usage_date'
    where c.relnamespace = 'warehouse'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname ~ '^fact_'
      and a.attnum > 0
      and not a.attisdropped
      and a.atttypid in ('bigint'::regtype, 'double precision'::regtype, 'numeric'::regtype)
    group by c.relname
    order by c.relname
  loop
    return query execute format(
      'select %L::text, m.measure_name, t.org_key, t.usage_date, count(*)'
        ' from warehouse.%I as t'
        ' cross join lateral (values %s) as m (measure_name, measured)'
        ' where (%s) and m.measured < 0'
        ' group by 2, 3, 4',
      fact.table_name,
      fact.table_name,
      fact.pairs,
      fact.any_negative
    );
  end loop;
end
$$;

comment on function etl.negative_measures() is
  'Rows with a measure below zero, one row per measure, organization and day that has any. Reads every fact.';
