/** Reads relations and their columns from the database. */
import type pg from 'pg';

/** A column of a view or table. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
}

/** A view or table, with its columns in order. */
export interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly Column[];
}

/** Views and tables of some schemas, by name. */
export async function readRelations(pool: pg.Pool, schemas: readonly string[]): Promise<Relation[]> {
  const { rows } = await pool.query<{
    readonly schema: string;
    readonly relation: string;
    readonly relation_comment: string;
    readonly name: string;
    readonly type: string;
    readonly comment: string;
  }>(
    `select
      namespace.nspname as schema,
      relation.relname as relation,
      coalesce(obj_description(relation.oid, 'pg_class'), '') as relation_comment,
      attribute.attname as name,
      format_type(attribute.atttypid, attribute.atttypmod) as type,
      coalesce(col_description(relation.oid, attribute.attnum), '') as comment
    from pg_class as relation
    join pg_namespace as namespace on namespace.oid = relation.relnamespace
    join pg_attribute as attribute
      on attribute.attrelid = relation.oid
      and attribute.attnum > 0
      and not attribute.attisdropped
    where namespace.nspname = any ($1)
      and (relation.relkind = 'v' and namespace.nspname like 'bi%' or relation.relkind in ('r', 'p') and namespace.nspname = 'warehouse')
      and not relation.relispartition
    order by namespace.nspname, relation.relname, attribute.attnum`,
    [schemas],
  );
  return [...Map.groupBy(rows, ({ schema, relation }) => `${schema}.${relation}`).values()].flatMap(
    (columns) => {
      const [first] = columns;
      return first === undefined
        ? []
        : [{ schema: first.schema, name: first.relation, comment: first.relation_comment, columns }];
    },
  );
}
