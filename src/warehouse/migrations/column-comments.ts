/** Writes comments on the columns of views, from the catalog of measures. */
import type pg from 'pg';
import { columnComment } from '../../model/measures.ts';
import { readSqlTexts } from './sql-text.ts';

/** Finds the views whose file has column comments of its own. */
const commented = /^comment on column ([a-z_]\w*\.[a-z_]\w*)\./gim;

/**
 * Comments every column of the views in `bi` and `bi_people` that the catalog of measures knows, within the open
 * transaction. Leaves out views whose file has column comments of its own. Writes only comments that differ.
 */
export async function commentColumns(client: pg.ClientBase, directory: string): Promise<void> {
  const ownWords = readSqlTexts(directory).flatMap(({ text }) =>
    [...text.matchAll(commented)].flatMap(([, view]) => view ?? []),
  );
  const { rows } = await client.query<{ view: string; name: string; column: string; comment: string | null }>(
    `select
      relation.relname as view,
      pg_catalog.format('%I.%I', namespace.nspname, relation.relname) as name,
      attribute.attname as column,
      pg_catalog.col_description(relation.oid, attribute.attnum) as comment
    from pg_catalog.pg_class as relation
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    join pg_catalog.pg_attribute as attribute on attribute.attrelid = relation.oid and attribute.attnum > 0
    where namespace.nspname in ('bi', 'bi_people')
      and relation.relkind = 'v'
      and pg_catalog.pg_has_role(relation.relowner, 'usage')
      and pg_catalog.format('%I.%I', namespace.nspname, relation.relname) <> all ($1)`,
    [ownWords],
  );
  const statements = rows.flatMap(({ view, name, column, comment }) => {
    const wanted = columnComment(view, column);
    return wanted === undefined || wanted === comment
      ? []
      : `comment on column ${name}.${client.escapeIdentifier(column)} is ${client.escapeLiteral(wanted)}`;
  });
  if (statements.length > 0) await client.query(statements.join(';\n'));
}
