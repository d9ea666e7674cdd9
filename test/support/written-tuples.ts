/** Counts the tuples (row versions) that Postgres wrote and read, which comparing values or times would not show. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** Tuples inserted, updated or deleted in the schema `warehouse` so far, by table; tables without any are left out. */
export async function writtenTuples(pool: pg.Pool): Promise<Readonly<Record<string, string>>> {
  const rows = await settled<{ relname: string; written: string }>(
    pool,
    `select relname, n_tup_ins + n_tup_upd + n_tup_del as written
    from pg_stat_user_tables
    where schemaname = 'warehouse' and n_tup_ins + n_tup_upd + n_tup_del > 0
    order by relname`,
  );
  return Object.fromEntries(rows.map(({ relname, written }) => [relname, written]));
}

/** Tuples of the tables of the schema `etl` that were read so far, by scans or by an index. */
export async function readTuples(pool: pg.Pool): Promise<Readonly<Record<string, number>>> {
  const rows = await settled<{ relname: string; read: string }>(
    pool,
    `select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_user_tables
    where schemaname = 'etl'`,
  );
  return Object.fromEntries(rows.map(({ relname, read }) => [relname, Number(read)]));
}

/** The rows of a query on statistics, which waits until all work of the program is counted in them. */
async function settled<Row extends pg.QueryResultRow>(pool: pg.Pool, text: string): Promise<Row[]> {
  const client = await pool.connect();
  try {
    await connectionsClosed(client);
    // Processes report their counts when they end. This connection may have an older snapshot of the counts: drop it.
    await client.query('select pg_stat_force_next_flush(), pg_stat_clear_snapshot()');
    return (await client.query<Row>(text)).rows;
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
