/** The data dictionary: what the views show, from the migrated database and the catalog of measures. */
import type pg from 'pg';
import { measureOf } from '../../src/model/measures.ts';

interface Column {
  readonly view: string;
  readonly view_comment: string | null;
  readonly name: string;
  readonly type: string;
  readonly comment: string | null;
}

/** The text of docs/data-dictionary.md. */
export async function dataDictionary(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<Column>(
    `select
      format('%I.%I', namespace.nspname, relation.relname) as view,
      obj_description(relation.oid, 'pg_class') as view_comment,
      attribute.attname as name,
      format_type(attribute.atttypid, attribute.atttypmod) as type,
      col_description(relation.oid, attribute.attnum) as comment
    from pg_class as relation
    join pg_namespace as namespace on namespace.oid = relation.relnamespace
    join pg_attribute as attribute on attribute.attrelid = relation.oid and attribute.attnum > 0
    where namespace.nspname in ('bi', 'bi_people') and relation.relkind = 'v'
    order by namespace.nspname, relation.relname, attribute.attnum`,
  );
  const parts = [...Map.groupBy(rows, ({ view }) => view)].map(([view, columns]) =>
    [
      `## ${view}`,
      columns[0]?.view_comment ?? '',
      [
        '| column | type | meaning | over days |',
        '|---|---|---|---|',
        ...columns.map(
          ({ name, type, comment }) =>
            `| \`${name}\` | ${type} | ${cell(comment ?? '')} | ${measureOf(view.split('.')[1] ?? view, name)?.overDays ?? ''} |`,
        ),
      ].join('\n'),
    ].join('\n\n'),
  );
  return [
    '# Data dictionary',
    'Generated from the comments of the views by `npm run dictionary`: do not edit. *Over days* says how the values of several days become one: `sum` adds them, `last` takes the last day, `max` the highest, `never` cannot be had from days.',
    ...parts,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
