/** Who is who: user ids and the e-mails beside them. */
import type pg from 'pg';
import type { PersonTable } from '../../model/person-places.ts';
import { withTransaction } from '../connection/connection.ts';

const rowsAtOnce = 5_000;

/** Tells every pair of a user id and an e-mail of a table, of all organizations. */
export async function readPairs(
  pool: pg.Pool,
  { table, userId, email }: PersonTable,
  onPair: (pair: { readonly userId: string; readonly email: string }) => void,
): Promise<void> {
  const query = `select ${userId} as user_id, ${email} as email from ${table} where ${userId} is not null and ${email} is not null`;
  await eachRow<{ user_id: string; email: string }>(pool, query, rowsAtOnce, async (rows) => {
    for (const { user_id, email: address } of rows) onPair({ userId: user_id, email: address });
  });
}

/** Reads the rows of a query without parameters, so many at once; `onRows` may take its time. */
export async function eachRow<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  query: string,
  rowsAtOnce: number,
  onRows: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  await withTransaction(pool, async ({ client }) => {
    await client.query(`declare each_row no scroll cursor for ${query}`);
    for (;;) {
      const { rows } = await client.query<Row>(`fetch ${rowsAtOnce} from each_row`);
      if (rows.length === 0) return;
      await onRows(rows);
    }
  });
}
