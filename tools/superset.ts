/** Makes the Superset files: all YAML below `dashboards/superset/`. */
import type pg from 'pg';
import { datasetKey, supersetFiles } from '../dashboards/superset/source/assets.ts';
import { selects } from '../dashboards/superset/source/selects.ts';
import { columnComment } from '../src/model/measures.ts';
import type { Product } from './product.ts';
import { readRelations } from './relations.ts';

export const superset: Product = {
  name: 'superset',
  whole: ['dashboards/superset/**/*.yaml'],
  async files({ empty }) {
    const pool = await empty();
    // Superset on SQLite cannot have two datasets of the same name; the select `people` contains the columns of
    // bi_people.users.
    const views = (await readRelations(pool, ['bi', 'bi_people'])).filter(
      (view) => datasetKey(view) !== 'bi_people.users',
    );
    const files = supersetFiles([...views, ...(await Promise.all(selects.map(withColumns(pool))))]);
    return new Map([...files].map(([path, text]) => [`dashboards/superset/${path}`, text]));
  },
};

/** Reads the columns of a select from Postgres. */
function withColumns(pool: pg.Pool) {
  return async ({ schema, name, description, sql }: (typeof selects)[number]) => {
    const { fields } = await pool.query(`select * from (${sql}) as answer limit 0`);
    const { rows } = await pool.query<{ type: string }>(
      'select format_type(oid, null) as type from unnest($1::oid[]) with ordinality as of (oid, position) order by position',
      [fields.map(({ dataTypeID }) => dataTypeID)],
    );
    const of = datasetKey({ schema, name });
    const columns = fields.map((field, index) => ({
      name: field.name,
      type: rows[index]?.type ?? '',
      comment: columnComment(of, field.name) ?? null,
    }));
    return { schema, name, comment: description, columns };
  };
}
