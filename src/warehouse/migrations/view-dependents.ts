/** Finds what Postgres would drop together with a view. */
import type pg from 'pg';

/** An object that depends on a view, directly or through others. */
export interface Dependent {
  /** The object in the words of Postgres, such as `view public.of_analysts`. */
  readonly description: string;
  /** `schema.name` of a view; null for anything else. */
  readonly view: string | null;
}

/**
 * Everything that `drop … cascade` would drop with a view. In the catalog a view does not itself depend on the objects
 * that it reads: its rewrite rule does. Tables and functions may depend on the row type of a view.
 */
export async function dependentsOf(client: pg.ClientBase, view: string): Promise<Dependent[]> {
  const { rows } = await client.query<Dependent>(
    `with recursive dependent (class_id, object_id, column_number) as (
      select 'pg_catalog.pg_class'::regclass::oid, pg_catalog.to_regclass($1)::oid, 0
      union
      select next.class_id, next.object_id, next.column_number
      from dependent
      cross join lateral (
        select depend.classid as class_id, depend.objid as object_id, depend.objsubid as column_number
        from pg_catalog.pg_depend as depend
        where depend.refclassid = dependent.class_id
          and depend.refobjid = dependent.object_id
          and (dependent.column_number = 0 or depend.refobjsubid = dependent.column_number)
        union all
        select 'pg_catalog.pg_class'::regclass::oid, rule.ev_class, 0
        from pg_catalog.pg_rewrite as rule
        where dependent.class_id = 'pg_catalog.pg_rewrite'::regclass
          and rule.oid = dependent.object_id
      ) as next
    )
    select distinct
      pg_catalog.pg_describe_object(dependent.class_id, dependent.object_id, dependent.column_number) as description,
      case
        when relation.relkind = 'v' then pg_catalog.quote_ident(namespace.nspname) || '.' || pg_catalog.quote_ident(relation.relname)
      end as view
    from dependent
    left join pg_catalog.pg_class as relation
      on dependent.class_id = 'pg_catalog.pg_class'::regclass
      and relation.oid = dependent.object_id
      and dependent.column_number = 0
    left join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    left join pg_catalog.pg_type as type on dependent.class_id = 'pg_catalog.pg_type'::regclass and type.oid = dependent.object_id
    -- Rules, indexes and row types are dropped with a dependent that is listed anyway.
    where dependent.class_id in ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_type'::regclass)
      and relation.oid is distinct from pg_catalog.to_regclass($1)
      and relation.relkind is distinct from 'i'
      and (type.oid is null or type.typtype = 'd')
    order by description`,
    [view],
  );
  return rows;
}
