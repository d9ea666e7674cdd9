/**
 * Brings a database up to date with `sql/`: migrations are plain files, applied once, in the order of their
 * names and in one transaction (Kysely's Migrator keeps the record, in `etl.migration`). Views are not
 * migrated but re-created from their files after every migration.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';
import { sqlDirectory as ownSqlDirectory } from '../sql-files.ts';
import { recreateViews } from './views.ts';

/** What `migrate` did. */
export interface MigrationSummary {
  /** Names of the migrations applied by this call, in order. */
  readonly applied: string[];
  /** Names of those that were there before. */
  readonly alreadyApplied: string[];
  /** Number of view files run. */
  readonly views: number;
}

/** One migration, as the database and this program know it. */
export interface MigrationState {
  /** File name without `.sql`. */
  readonly name: string;
  readonly applied: boolean;
  /** False for one that the database has, and this (older) program has no file for. */
  readonly known: boolean;
}

/** Both places that this code runs from, `src/warehouse` and `dist/src/bundle`, have `sql` at this distance. */

const extension = '.sql';
const recordSchema = 'etl';
const recordTable = 'migration';
const recordLockTable = 'migration_lock';
const oldestServerVersion = 15;
/** Any number that nobody else locks in this database. */
const migrationLockKey = 7_205_318_846_230_917n;

/**
 * Applies every migration that the database lacks, then re-creates the views. Where several processes do
 * this at once, one works and the others wait, to find nothing left to do. A role without the right to
 * create schemas can migrate when the schemas `warehouse`, `bi` and `etl` exist and let it create in them.
 *
 * `database` is a connection string or a pool, of which one connection is used. `sqlDirectory` holds
 * `migrations/*.sql` and `views/*.sql`. Throws `WarehouseError` when the server is too old, the database is
 * not UTF8, a newer version of this program has migrated it, or a file fails (then no migration of this call
 * stays).
 */
export async function migrate(
  database: string | pg.Pool,
  sqlDirectory: string = ownSqlDirectory,
): Promise<MigrationSummary> {
  return await withClient(database, async (client) => {
    await refuseUnsuitableServer(client);
    await client.query(`select pg_advisory_lock(${migrationLockKey})`);
    try {
      const migrator = await createMigrator(client, sqlDirectory);
      const before = await listMigrations(client, sqlDirectory);
      refuseNewerDatabase(before);
      const { results, error } = await migrator.migrateToLatest();
      if (error !== undefined) {
        const failed = results?.find(({ status }) => status === 'Error')?.migrationName;
        throw new WarehouseError(
          failed === undefined
            ? 'the database could not be migrated'
            : `migration ${failed} failed, nothing was changed`,
          { cause: error },
        );
      }
      if (before.every(({ applied }) => !applied)) await describeRecord(client);
      return {
        applied: (results ?? []).map(({ migrationName }) => migrationName),
        alreadyApplied: before.filter(({ applied }) => applied).map(({ name }) => name),
        views: await recreateViews(client, join(sqlDirectory, 'views')),
      };
    } finally {
      // Where the connection is gone, so is the lock; why it went is what the caller must hear.
      await client.query(`select pg_advisory_unlock(${migrationLockKey})`).catch(() => undefined);
    }
  });
}

/**
 * Every migration that this program or the database knows, in order of their names. Reads only: works, and
 * creates nothing, on a database that was never migrated. Arguments as for `migrate`.
 */
export async function migrationStatus(
  database: string | pg.Pool,
  sqlDirectory: string = ownSqlDirectory,
): Promise<MigrationState[]> {
  return await withClient(database, (client) => listMigrations(client, sqlDirectory));
}

/**
 * Names of the migrations that the database lacks, in order; empty when it is up to date. Throws
 * `WarehouseError` when a newer version of this program has migrated it. Arguments as for `migrate`.
 */
export async function pendingMigrations(
  database: string | pg.Pool,
  sqlDirectory: string = ownSqlDirectory,
): Promise<string[]> {
  const states = await migrationStatus(database, sqlDirectory);
  refuseNewerDatabase(states);
  return states.filter(({ applied }) => !applied).map(({ name }) => name);
}

/** Kysely works on this one connection only, so that the lock, which is the session's, covers all it does. */
async function createMigrator(client: pg.ClientBase, sqlDirectory: string): Promise<Migrator> {
  // Most runs migrate nothing, and start sooner without it.
  const { Migrator } = await import('kysely/migration');
  const migrations = await readMigrations(sqlDirectory);
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({
      pool: {
        options: {},
        connect: async () => ({
          query: client.query.bind(client),
          release: () => undefined,
        }),
        end: async () => undefined,
      },
    }),
  });
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableSchema: recordSchema,
    migrationTableName: recordTable,
    migrationLockTableName: recordLockTable,
    nameComparator: byCodeUnit,
  });
}

async function readMigrations(sqlDirectory: string): Promise<Record<string, Migration>> {
  const migrations: Record<string, Migration> = {};
  for (const name of await knownNames(sqlDirectory)) {
    const text = await readFile(join(sqlDirectory, 'migrations', `${name}${extension}`), 'utf8');
    // Without parameters, node-postgres sends the text as a simple query, which may hold many statements.
    migrations[name] = { up: async (db) => void (await sql.raw(text).execute(db)) };
  }
  return migrations;
}

async function knownNames(sqlDirectory: string): Promise<string[]> {
  const files = (await readdir(join(sqlDirectory, 'migrations'))).filter((file) => file.endsWith(extension));
  return files.sort(byCodeUnit).map((file) => file.slice(0, -extension.length));
}

/** What Kysely's migrator would say, without all that it reads about the tables of the database. */
async function listMigrations(client: pg.ClientBase, sqlDirectory: string): Promise<MigrationState[]> {
  const recorded = new Set(await recordedNames(client));
  const known = new Set(await knownNames(sqlDirectory));
  return [...known.union(recorded)]
    .sort(byCodeUnit)
    .map((name) => ({ name, applied: recorded.has(name), known: known.has(name) }));
}

async function recordedNames(client: pg.ClientBase): Promise<string[]> {
  const found = await client.query<{ exists: boolean }>(
    'select exists (select from pg_tables where schemaname = $1 and tablename = $2)',
    [recordSchema, recordTable],
  );
  if (found.rows[0]?.exists !== true) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${recordSchema}.${recordTable}`);
  return rows.map(({ name }) => name);
}

function refuseNewerDatabase(states: readonly MigrationState[]): void {
  const unknown = states.filter(({ known }) => !known).map(({ name }) => name);
  if (unknown.length > 0)
    throw new WarehouseError(
      `expected a database that this version of the program knows, but it has the migration ${unknown.join(', ')}: ` +
        'a newer version was here; update the program',
    );
}

async function refuseUnsuitableServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version_number: string; version: string; encoding: string }>(
    `select
      current_setting('server_version_num') as version_number,
      current_setting('server_version') as version,
      current_setting('server_encoding') as encoding`,
  );
  const server = rows[0];
  if (Number(server?.version_number) < oldestServerVersion * 10_000)
    throw new WarehouseError(
      `expected Postgres ${oldestServerVersion} or later, got ${server?.version}: use a newer server`,
    );
  if (server?.encoding !== 'UTF8')
    throw new WarehouseError(
      `expected a database with encoding UTF8, got ${server?.encoding}: ` +
        "create it with: create database … encoding 'UTF8' template template0",
    );
}

/** The Migrator makes its tables without comments; every object of the warehouse has one. */
async function describeRecord(client: pg.ClientBase): Promise<void> {
  await client.query(`
    comment on table ${recordSchema}.${recordTable} is 'One row per migration that was applied.';
    comment on column ${recordSchema}.${recordTable}.name is 'File name in sql/migrations, without .sql.';
    comment on column ${recordSchema}.${recordTable}.timestamp is 'When it was applied, ISO 8601 in UTC.';
    comment on table ${recordSchema}.${recordLockTable} is 'One row, kept by the migration library.';
    comment on column ${recordSchema}.${recordLockTable}.id is 'Name of the lock.';
    comment on column ${recordSchema}.${recordLockTable}.is_locked is 'Not used on Postgres, which has advisory locks.';
  `);
}

async function withClient<T>(
  database: string | pg.Pool,
  task: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  if (typeof database !== 'string') {
    const client = await database.connect();
    try {
      return await task(client);
    } finally {
      client.release();
    }
  }
  const client = new pg.Client({ connectionString: database });
  // A connection lost between two queries; the next query fails and says so.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
