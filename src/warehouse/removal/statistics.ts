/** Renews the statistics of the planner: they quote values of the tables, which may name persons. */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { type Session, withSession } from '../connection/connection.ts';

/** Postgres 18: from this version on it has a function that clears the statistics of a column. */
const versionWithClearing = 180_000;
const featureNotSupported = '0A000';

/**
 * Analyzes those of `tables` whose statistics hold a value for which `isRemoved` is true. Clears the statistics of columns
 * whose table is empty. Vacuums the tables `changed`, so that overwritten values leave the pages. Returns the columns whose
 * statistics could not be cleared. If there is nothing to do, this costs one query.
 */
export async function renewStatistics(
  pool: pg.Pool,
  tables: Iterable<string>,
  changed: Iterable<string>,
  isRemoved: (value: string) => boolean,
): Promise<string[]> {
  return withSession(pool, async (session) => {
    const { client } = session;
    const names = [...new Set(tables)];
    const left: string[] = [];
    for (const table of changed) await client.query(`vacuum (analyze) ${table}`);
    for (const table of new Set((await remembered(session, names, isRemoved)).map((each) => each.table)))
      await client.query(`analyze ${table}`);
    for (const { table, column } of await remembered(session, names, isRemoved)) {
      const { rowCount } = await client.query(`select from ${table} limit 1`);
      // `analyze` does not change the statistics of an empty table, so they are cleared. A table with rows was analyzed: a
      // value that is still there comes from other organizations.
      if (rowCount === 0 && !(await clearStatistics(session, table, column))) left.push(`${table}.${column}`);
    }
    return left;
  });
}

interface Statistic {
  /** Name of the table, quoted for SQL. */
  readonly table: string;
  readonly column: string;
}

/** The columns that have in their statistics a value for which `isRemoved` is true. */
async function remembered(
  { client }: Session,
  tables: readonly string[],
  isRemoved: (value: string) => boolean,
): Promise<Statistic[]> {
  const { rows } = await client.query<Statistic & { values: readonly string[] }>(
    `select
      format('%I.%I', schemaname, tablename) as table,
      attname as column,
      coalesce(most_common_vals::text::text[], '{}')
        || coalesce(histogram_bounds::text::text[], '{}')
        || coalesce(most_common_elems::text::text[], '{}') as values
    from pg_catalog.pg_stats
    where format('%I.%I', schemaname, tablename) = any($1)`,
    [tables],
  );
  return rows.filter(({ values }) => values.some(isRemoved));
}

/** Clears the statistics of a column of an empty table. False if it cannot: before Postgres 18, when a view reads the column. */
async function clearStatistics({ client }: Session, table: string, column: string): Promise<boolean> {
  const { rows } = await client.query<{ version: number; name: string; type: string }>(
    `select
      current_setting('server_version_num')::integer as version,
      quote_ident(attname) as name,
      format_type(atttypid, atttypmod) as type
    from pg_catalog.pg_attribute
    where attrelid = $1::regclass and attname = $2`,
    [table, column],
  );
  const { version = 0, name = '', type = '' } = rows[0] ?? {};
  if (version >= versionWithClearing) {
    await client.query('select pg_clear_attribute_stats($1, $2, $3, false)', [...table.split('.'), column]);
    return true;
  }
  try {
    // Setting the type of a column drops its statistics, even if the type is the same.
    await client.query(`alter table ${table} alter column ${name} type ${type}`);
    return true;
  } catch (error) {
    if (codeOf(error) === featureNotSupported) return false;
    throw error;
  }
}
