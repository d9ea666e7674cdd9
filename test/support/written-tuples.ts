/** Counts of what Postgres itself wrote: proof that nothing was, where a comparison of values proves less. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** Tuples inserted, updated or deleted in the schema `warehouse` so far, by table; tables without any are left out. */
export async function writtenTuples(pool: pg.Pool): Promise<Readonly<Record<string, string>>> {
  const client = await pool.connect();
  try {
    await connectionsClosed(client);
    // Processes that have ended have handed in their counts; what this connection has read may be older.
    await client.query('select pg_stat_force_next_flush(), pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ relname: string; written: string }>(
      `select relname, n_tup_ins + n_tup_upd + n_tup_del as written
      from pg_stat_user_tables
      where schemaname = 'warehouse' and n_tup_ins + n_tup_upd + n_tup_del > 0
      order by relname`,
    );
    return Object.fromEntries(rows.map(({ relname, written }) => [relname, written]));
  } finally {
    client.release();
  }
}

/** Waits until the connections of the program are gone: they end a little later than the program. */
async function connectionsClosed(client: pg.PoolClient): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (performance.now() < giveUpAt) {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'usage-etl'`,
    );
    if (rowCount === 0) return;
    await delay(5);
  }
}
