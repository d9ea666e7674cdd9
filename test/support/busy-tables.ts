/** Locks tables, so that all other sessions wait. */
import pg from 'pg';
import { ownNamesOnly } from '../../tools/search-path.ts';

/** Tables that are locked. */
export interface BusyTables {
  /** Releases the locks. */
  release(): Promise<void>;
}

/** Locks tables of the schema `warehouse` against readers and writers until they are released. */
export async function holdTables(url: string, tables: readonly string[]): Promise<BusyTables> {
  const client = new pg.Client({ ...ownNamesOnly, connectionString: url });
  // Dropping the database breaks this connection, which is no error.
  client.on('error', () => undefined);
  await client.connect();
  const names = tables.map((table) => `warehouse.${table}`).join(', ');
  await client.query(`begin; lock table ${names} in access exclusive mode`);
  let ended: Promise<void> | undefined;
  return {
    release() {
      ended ??= client.end();
      return ended;
    },
  };
}

/** Connections of the program to the database, and how many of them wait for a lock. */
export async function programConnections(pool: pg.Pool): Promise<{ open: number; waiting: number }> {
  const { rows } = await pool.query<{ open: number; waiting: number }>(
    `select count(*)::integer as open,
       count(*) filter (where wait_event_type = 'Lock')::integer as waiting
     from pg_stat_activity
     where datname = current_database() and application_name = 'usage-etl'`,
  );
  return rows[0] ?? { open: 0, waiting: 0 };
}
