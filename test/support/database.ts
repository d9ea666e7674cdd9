/** Creates a database for one test: a copy of the migrated template, or an empty one. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { administer, databaseUrl } from '../../tools/template-database.ts';

/** A database that only the caller uses. */
export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Ends the pool, and waits until nobody is connected any more. */
  close(): Promise<void>;
  /** Ends the pool and drops the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** Copies the migrated template, in less than half a second. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { template } = inject('testDatabases');
  return await create(`template ${template.name}`);
}

/** An empty database; `options` are those of `create database`. */
export async function createEmptyDatabase(options = "encoding 'UTF8'"): Promise<TestDatabase> {
  return await create(`template template0 ${options}`);
}

/** Copies of a database that was loaded once. */
export interface LoadedDatabase {
  /** Creates another database with the same rows; this takes a fraction of the time of loading them. */
  copy(): Promise<TestDatabase>;
  drop(): Promise<void>;
}

/** Prepares copies of a database that nobody uses any more. */
export async function keepForCopies(loaded: TestDatabase): Promise<LoadedDatabase> {
  const name = new URL(loaded.url).pathname.slice(1);
  await loaded.close();
  return { copy: () => create(`template ${name}`), drop: () => loaded.drop() };
}

/** A copy of the template for all tests of the file that calls this. It is dropped after them. */
export async function sharedTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  afterAll(() => database.drop());
  return database;
}

async function create(options: string): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testDatabases');
  const name = `${template.prefix}${randomBytes(6).toString('hex')}`;
  // A copy file by file takes half the time of the default, which logs every page.
  await administer(adminUrl, (admin) => admin.query(`create database ${name} ${options} strategy file_copy`));
  const url = databaseUrl(adminUrl, name);
  const pool = new pg.Pool({ ...ownNamesOnly, connectionString: url });
  // Dropping the database breaks idle connections, which is no error.
  pool.on('error', () => undefined);
  let closing: Promise<void> | undefined;
  let dropping: Promise<void> | undefined;
  const close = () => {
    closing ??= pool.end().then(() => administer(adminUrl, (admin) => connectionsClosed(admin, name)));
    return closing;
  };
  const drop = async () => {
    await close();
    await administer(adminUrl, (admin) => admin.query(`drop database if exists ${name} with (force)`));
  };
  return {
    url,
    pool,
    close,
    drop() {
      dropping ??= drop();
      return dropping;
    },
  };
}

/**
 * Waits until nobody is connected to a database. A pool ends before its last connection has closed. `drop … with (force)`
 * would break that connection, and a test that has succeeded would fail.
 */
async function connectionsClosed(admin: pg.Client, name: string): Promise<void> {
  const giveUpAt = performance.now() + 30_000;
  while (performance.now() < giveUpAt) {
    const { rowCount } = await admin.query('select from pg_stat_activity where datname = $1', [name]);
    if (rowCount === 0) return;
    await delay(5);
  }
}
