/** Takes addresses from users who may not be known by them any more. */
import type pg from 'pg';
import type { PersonTable } from '../../model/person-places.ts';
import { withTransaction } from '../connection/connection.ts';
import { assignById } from '../imports/person-assignments.ts';

/** Which addresses go, and from whom. */
export interface AddressTaking {
  readonly pool: pg.Pool;
  /** Rows of other organizations are left alone. */
  readonly orgKeys: readonly number[];
  /** What becomes of the address beside a user id; null where it is taken away. */
  readonly addressBeside: (userId: string, email: string) => string | null;
  /** What a user is called from now on. */
  readonly nameOf: (userId: string) => string;
  /** Called before anything is overwritten. */
  readonly beforeWriting: () => Promise<void>;
  readonly signal: AbortSignal;
}

interface Row {
  readonly place: string;
  readonly org_key: number;
  readonly user_id: string;
  readonly email: string;
}

const rowsAtOnce = 5_000;

/**
 * Empties the address of those rows, in one transaction that may be repeated; returns how many. Whoever was in a team
 * by the address stays in it, by user id.
 */
export async function takeAddresses(
  taking: AddressTaking,
  { table, userId, email }: PersonTable,
): Promise<number> {
  const { pool, orgKeys, addressBeside, nameOf, beforeWriting, signal } = taking;
  return withTransaction(pool, async ({ client, db }) => {
    await client.query(
      `declare beside no scroll cursor for
      select ctid::text as place, org_key, ${userId} as user_id, ${email} as email
      from ${table}
      where ${email} is not null and org_key = any($1)`,
      [orgKeys],
    );
    const taken: Row[] = [];
    for (;;) {
      signal.throwIfAborted();
      const { rows } = await client.query<Row>(`fetch ${rowsAtOnce} from beside`);
      if (rows.length === 0) break;
      for (const row of rows) if (addressBeside(row.user_id, row.email) === null) taken.push(row);
    }
    await client.query('close beside');
    if (taken.length === 0) return 0;
    await beforeWriting();
    for (const { place, org_key, user_id, email: address } of taken) {
      await assignById(db, org_key, address, user_id, nameOf(user_id));
      await client.query(
        `update ${table} set ${email} = null where ctid = $1::tid and ${userId} = $2 and ${email} = $3`,
        [place, user_id, address],
      );
    }
    return taken.length;
  });
}
