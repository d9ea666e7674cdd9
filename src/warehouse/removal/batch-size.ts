/** How many values of a column are read at once: a thousand short ones, or a few that may have a megabyte each. */
import type pg from 'pg';

const mostRows = 2_000;
/** Bytes of the values that are read at once. */
const mostBytes = 200_000;

/** Between `least` and two thousand rows, by the longest value of the column; both names are quoted for SQL. */
export async function batchSize(
  client: pg.ClientBase,
  table: string,
  column: string,
  least: number,
): Promise<number> {
  const { rows } = await client.query<{ longest: number }>(
    `select coalesce(max(octet_length(${column}::text)), 1)::integer as longest from ${table}`,
  );
  return Math.min(mostRows, Math.max(least, Math.floor(mostBytes / (rows[0]?.longest ?? 1))));
}
