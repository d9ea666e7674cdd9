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
