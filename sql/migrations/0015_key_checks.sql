-- The function of the checks that look for wrong foreign keys. From Postgres 18 on no key of the star schema is enforced.

create function etl.wrong_keys(of_org integer, first_day date, last_day date, of_another_org boolean)
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
      -- the tables that must have org_key: the fact, and for keys of another organization also the dimension
      and not exists (
        select
        from unnest(array[c.oid, case when of_another_org then d.oid else c.oid end]) as needed (table_id)
        where not exists (
          select
          from pg_catalog.pg_attribute as o
          where o.attrelid = needed.table_id
            and o.attname = 'org_key'
            and not o.attisdropped
        )
      )
    group by c.oid, c.relname, d.relname, f.oid, f.conkey
    -- the organization itself exists, and a key that contains org_key cannot refer to another organization
    having case
      when of_another_org then bool_and(k.attname <> 'org_key')
      else string_agg(a.attname, ', ') <> 'org_key'
    end
    order by c.relname, f.conkey
  loop
    -- A key of several columns refers to nothing if one of them is null. With "offset" Postgres looks up each key by itself,
    -- once for all its days; without it, Postgres may read the whole dimension, with the rows of all organizations.
    return query execute format(
      'select %L::text, %L::text, %L::text, about.day, count(*)'
        ' from (select array_agg(%s) as days, %s from %s where %s group by %s) as held'
        ' cross join lateral unnest(held.days) as about (day)'
        ' where %s exists (select from warehouse.%I as d where %s %s offset 0)'
        ' group by about.day',
      declared.table_name,
      declared.column_names,
      declared.dimension,
      etl.day_column(declared.table_id),
      declared.columns,
      etl.rows_to_check(declared.table_id),
      declared.are_given,
      declared.columns,
      case when of_another_org then '' else 'not' end,
      declared.dimension,
      declared.are_equal,
      case when of_another_org then 'and d.org_key <> $1' else '' end
    ) using of_org, first_day, last_day;
  end loop;
end
$$;

comment on function etl.wrong_keys(integer, date, date, boolean) is
  'Number of rows of an organization whose foreign key refers to a row of another organization, or to no row: one row per declared foreign key and day with such rows. For the days of etl.days_to_check and rows without a day.';
