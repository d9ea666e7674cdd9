/** How many values of a column are read at once: a thousand short ones, or a few that may have a megabyte each. */
import type pg from 'pg';

const mostRows = 2_000;
/** Bytes as stored. Postgres compresses long texts, so there may be many more in memory. */
const mostBytes = 200_000;

/** Between `least` and two thousand rows, by the longest value of the column; both names are quoted for SQL. */
export async function batchSize(
  client: pg.ClientBase,
  table: string,
  column: string,
  least: number,
): Promise<number> {
  const { rows } = await client.query<{ longest: number }>(
    `select coalesce(max(pg_column_size(${column})), 1)::integer as longest from ${table}`,
  );
  return Math.min(mostRows, Math.max(least, Math.floor(mostBytes / (rows[0]?.longest ?? 1))));
}
