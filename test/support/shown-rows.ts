/** Rows of views as text, for comparison with expected rows. */
import type pg from 'pg';
import { normalDecimal } from './decimal.ts';
import { approximate } from './expected-views/figures.ts';
import type { Row } from './expected-warehouse.ts';

/** Columns that are not compared, because other tests check them. */
const leftOut = ['org_key', 'description', 'autonomy_rank', 'is_parsing_artifact'];

/** The sorted rows of a view without the columns in `leftOut`; floating point and costs are rounded to ten digits. */
export async function shownRows(pool: Pick<pg.Pool, 'query'>, view: string): Promise<string[]> {
  const { rows: columns } = await pool.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
    from pg_attribute where attrelid = $1::regclass and attnum > 0 and attname <> all ($2) order by attnum`,
    [view, leftOut],
  );
  const { rows } = await pool.query<Row>(
    `select ${columns.map(({ name }) => `"${name}"::text`).join(', ')} from ${view}`,
  );
  return rows
    .map((row) =>
      JSON.stringify(columns.map(({ name, type }) => [name, comparable(row[name] ?? null, name, type)])),
    )
    .sort();
}

function comparable(text: string | null, name: string, type: string): string | null {
  if (text === null) return null;
  if (type === 'double precision' || name === 'cost') return approximate(Number(text));
  return ['numeric', 'bigint', 'integer'].includes(type) ? normalDecimal(text) : text;
}

/** Expected rows in the form of `shownRows`; values for columns that the view does not have are left out. */
export function expectedRows(rows: readonly Row[], columns: readonly string[]): string[] {
  return rows
    .map((row) => JSON.stringify(columns.map((name) => [name, expectedText(row[name] ?? null, name)])))
    .sort();
}

function expectedText(value: string | null, name: string): string | null {
  return value !== null && /^-?[\d.]+$/.test(value) && !/_id$|name$|tier$/.test(name)
    ? normalDecimal(value)
    : value;
}

/** The columns that `shownRows` compares. */
export async function columnsOf(pool: pg.Pool, view: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select attname as name from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and attname <> all ($2) order by attnum`,
    [view, leftOut],
  );
  return rows.map(({ name }) => name);
}
