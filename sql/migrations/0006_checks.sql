-- Functions for sql/checks that work on every table: daily tables, snapshots and tables without a date, with keys of one or
-- several columns. They find the tables in the catalog, so that a table added later is checked without a change here. Checks
-- read one organization and a range of days only: other organizations and other days must not make them slower.

create function etl.day_column(of_table regclass)
returns text
language sql
stable
set search_path = pg_catalog, pg_temp
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
  'An SQL expression for the UTC day of a row t of a fact; the expression is null if the fact has no day.';

create function etl.days_to_check(first_day date, last_day date)
returns table (
  from_day date,
  to_day date
)
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select first_day, last_day
  union all
  select date '-infinity', least(first_day, date '2026-01-14') - 1
  union all
  select greatest(last_day + 1, (now() at time zone 'utc')::date), date 'infinity'
$$;

comment on function etl.days_to_check(date, date) is
  'The days from first_day to last_day, and the days that the platform does not serve, so that no range contains them: before 2026-01-14, and after yesterday in UTC.';

create function etl.rows_to_check(of_table regclass)
returns text
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select case etl.day_column(of_table)
    when 'null::date' then format('(select) as any_day join %s as t on t.org_key = $1', of_table)
    -- with "offset" Postgres looks up each range by itself; without it, Postgres may read all days and filter them
    else format(
      'etl.days_to_check($2, $3) as days cross join lateral ('
        'select * from %s as t where t.org_key = $1 and %s between days.from_day and days.to_day offset 0'
      ') as t',
      of_table, etl.day_column(of_table)
    )
  end
$$;

comment on function etl.rows_to_check(regclass) is
  'A from clause for the rows t of a table that belong to organization $1 and to the days of etl.days_to_check($2, $3). A table without a day gives all rows of the organization.';

create function etl.rows_per_day(of_org integer, first_day date, last_day date)
returns table (
  table_name text,
  usage_date date,
  row_count bigint
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  fact record;
begin
  for fact in
    select
      c.oid as table_id,
      c.relname as table_name
    from pg_catalog.pg_class as c
    where c.relnamespace = 'warehouse'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname ~ '^(fact|bridge)_'
      and etl.day_column(c.oid) = 't.usage_date'
    order by c.relname
  loop
    return query execute format(
      'select %L::text, t.usage_date, count(*) from %s group by t.usage_date',
      fact.table_name, etl.rows_to_check(fact.table_id)
    ) using of_org, first_day, last_day;
  end loop;
end
$$;

comment on function etl.rows_per_day(integer, date, date) is
  'Number of rows of an organization, one row per daily fact or bridge and day with rows. For the days of etl.days_to_check.';

create function etl.orphan_keys(of_org integer, first_day date, last_day date)
returns table (
  table_name text,
  column_name text,
  dimension text,
  usage_date date,
  row_count bigint
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
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
      string_agg(format('t.%I', a.attname), ', ' order by pair.position) as columns,
      string_agg(format('t.%I is not null', a.attname), ' and ' order by pair.position) as are_given,
      string_agg(format('d.%I = held.%I', k.attname, a.attname), ' and ' order by pair.position) as are_equal
    from pg_catalog.pg_constraint as f
    join pg_catalog.pg_class as c on c.oid = f.conrelid
    join pg_catalog.pg_class as d on d.oid = f.confrelid
    cross join lateral unnest(f.conkey, f.confkey) with ordinality as pair (own, other, position)
    join pg_catalog.pg_attribute as a on a.attrelid = f.conrelid and a.attnum = pair.own
    join pg_catalog.pg_attribute as k on k.attrelid = f.confrelid and k.attnum = pair.other
    where f.contype = 'f'
      and f.conparentid = 0
      and c.relnamespace = 'warehouse'::regnamespace
      and exists (
        select
        from pg_catalog.pg_attribute as o
        where o.attrelid = c.oid
          and o.attname = 'org_key'
          and not o.attisdropped
      )
    group by c.oid, c.relname, d.relname, f.oid, f.conkey
    -- the check is for one organization, which exists
    having string_agg(a.attname, ', ') <> 'org_key'
    order by c.relname, f.conkey
  loop
    -- A key of several columns refers to nothing if one of them is null. With "offset" Postgres looks up each key by itself,
    -- once for all its days; without it, Postgres may read the whole dimension, with the rows of all organizations.
    return query execute format(
      'select %L::text, %L::text, %L::text, about.day, count(*)'
        ' from (select array_agg(%s) as days, %s from %s where %s group by %s) as held'
        ' cross join lateral unnest(held.days) as about (day)'
        ' where not exists (select from warehouse.%I as d where %s offset 0)'
        ' group by about.day',
      declared.table_name,
      declared.column_names,
      declared.dimension,
      etl.day_column(declared.table_id),
      declared.columns,
      etl.rows_to_check(declared.table_id),
      declared.are_given,
      declared.columns,
      declared.dimension,
      declared.are_equal
    ) using of_org, first_day, last_day;
  end loop;
end
$$;

comment on function etl.orphan_keys(integer, date, date) is
  'Number of rows of an organization whose foreign key refers to a missing row: one row per declared foreign key of the warehouse and day with such rows. For the days of etl.days_to_check and rows without a day.';

create function etl.keys_of_another_org(of_org integer, first_day date, last_day date)
returns table (
  table_name text,
  column_name text,
  dimension text,
  usage_date date,
  row_count bigint
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
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
      -- a key that contains org_key cannot refer to another organization
      and cardinality(f.conkey) = 1
      and k.attname <> 'org_key'
      and c.relnamespace = 'warehouse'::regnamespace
      and 2 = (
        select count(*)
        from pg_catalog.pg_attribute as o
        where o.attrelid in (c.oid, d.oid)
          and o.attname = 'org_key'
          and not o.attisdropped
      )
    order by c.relname, a.attnum
  loop
    -- "offset" as in etl.orphan_keys
    return query execute format(
      'select %L::text, %L::text, %L::text, about.day, count(*)'
        ' from (select array_agg(%s) as days, t.%I from %s group by t.%I) as held'
        ' cross join lateral unnest(held.days) as about (day)'
        ' where exists (select from warehouse.%I as d where d.%I = held.%I and d.org_key <> $1 offset 0)'
        ' group by about.day',
      declared.table_name,
      declared.column_name,
      declared.dimension,
      etl.day_column(declared.table_id),
      declared.column_name,
      etl.rows_to_check(declared.table_id),
      declared.column_name,
      declared.dimension,
      declared.dimension_key,
      declared.column_name
    ) using of_org, first_day, last_day;
  end loop;
end
$$;

comment on function etl.keys_of_another_org(integer, date, date) is
  'Number of rows of an organization that refer to a row of another one: one row per declared foreign key between tables with org_key, and day with such rows. For the days of etl.days_to_check and rows without a day.';

create function etl.negative_measures(of_org integer, first_day date, last_day date)
returns table (
  table_name text,
  column_name text,
  usage_date date,
  row_count bigint
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
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
      'select %L::text, m.measure_name, %s, count(*)'
        ' from %s'
        ' cross join lateral (values %s) as m (measure_name, measured)'
        ' where (%s) and m.measured < 0'
        ' group by 2, 3',
      fact.table_name,
      etl.day_column(fact.table_id),
      etl.rows_to_check(fact.table_id),
      fact.pairs,
      fact.any_negative
    ) using of_org, first_day, last_day;
  end loop;
end
$$;

comment on function etl.negative_measures(integer, date, date) is
  'Number of rows of an organization with a measure below zero, one row per measure and day with such rows. For the days of etl.days_to_check and rows without a day.';
