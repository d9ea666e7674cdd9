/** Who is who: user ids and the e-mails beside them. */
import type pg from 'pg';
import type { PersonTable } from '../../model/person-places.ts';
import { withTransaction } from '../connection/connection.ts';

const rowsAtOnce = 5_000;

/** Tells every pair of a user id and an e-mail of a table, of all organizations. */
export async function readPairs(
  pool: pg.Pool,
  { table, userId, email }: PersonTable,
  onPair: (pair: { readonly orgKey: number; readonly userId: string; readonly email: string | null }) => void,
): Promise<void> {
  await withTransaction(pool, async ({ client }) => {
    await client.query(
      `declare persons no scroll cursor for select org_key, ${userId} as user_id, ${email} as email from ${table} where ${userId} is not null`,
    );
    for (;;) {
      const { rows } = await client.query<{ org_key: number; user_id: string; email: string | null }>(
        `fetch ${rowsAtOnce} from persons`,
      );
      if (rows.length === 0) return;
      for (const { org_key, user_id, email: address } of rows)
        onPair({ orgKey: org_key, userId: user_id, email: address });
    }
  });
}
