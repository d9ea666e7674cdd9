/**
 * Brings a database up to date with `sql/`: migrations are plain files, applied once, in the order of their
 * names and in one transaction (Kysely's Migrator keeps the record, in `etl.migration`). Views are not
 * migrated but re-created from their files after every migration.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Migration, Migrator } from 'kysely/migration';
import type pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';
import { withClient } from '../connection/one-client.ts';
import { holdSchema, isLockTimeout, releaseSchema, type SchemaLockWait } from '../connection/schema-lock.ts';
import { sqlDirectory as ownSqlDirectory } from '../sql-files.ts';
import { byCodeUnit, knownNames, listMigrations, record, refuseNewerDatabase } from './migration-status.ts';
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

const recordLockTable = 'migration_lock';
const oldestServerVersion = 15;
const defaultLockTimeoutMs = 30_000;

/** How `migrate` waits, and what it does beside migrating. */
export interface MigrateOptions extends Partial<Omit<SchemaLockWait, 'timeoutMs'>> {
  /** Directory that holds `migrations/*.sql` and `views/*.sql`; default the program's own. */
  readonly sqlDirectory?: string;
  /** Longest wait for runs in progress, and for each table or view that somebody uses; default 30 s. */
  readonly lockTimeoutMs?: number;
  /** Done first, while no run is in progress. */
  readonly first?: (client: pg.ClientBase) => Promise<unknown>;
}

/**
 * Applies every migration that the database lacks, then re-creates the views, while no run is in progress. Where
 * several processes do this at once, one works and the others wait, to find nothing left to do. A role without the
 * right to create schemas can migrate when the schemas `warehouse`, `bi` and `etl` exist and let it create in them.
 *
 * `database` is a connection string or a pool, of which one connection is used. Throws `LockHeldError` naming the
 * runs that it waited for in vain, `WarehouseError` when the server is too old, the database is not UTF8, a newer
 * version of this program has migrated it, or a file fails (then no migration of this call stays).
 */
export async function migrate(
  database: string | pg.Pool,
  options: MigrateOptions = {},
): Promise<MigrationSummary> {
  const { sqlDirectory = ownSqlDirectory, lockTimeoutMs = defaultLockTimeoutMs, signal, onWait } = options;
  return await withClient(database, async (client) => {
    await refuseUnsuitableServer(client);
    await holdSchema(client, { timeoutMs: lockTimeoutMs, signal, onWait });
    try {
      return await withLockTimeout(client, lockTimeoutMs, async () => {
        await options.first?.(client);
        return await bringUpToDate(client, sqlDirectory);
      });
    } finally {
      // Where the connection is gone, so is the lock; why it went is what the caller must hear.
      await releaseSchema(client).catch(() => undefined);
    }
  });
}

async function bringUpToDate(client: pg.ClientBase, sqlDirectory: string): Promise<MigrationSummary> {
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
}

/** Runs `work` with a limit to every wait for a table or view: behind a waiting change, all its readers wait. */
async function withLockTimeout<T>(
  client: pg.ClientBase,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ before: string }>(`select current_setting('lock_timeout') as before`);
  const set = (timeout: string) => client.query(`select set_config('lock_timeout', $1, false)`, [timeout]);
  await set(String(timeoutMs));
  try {
    return await work();
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new WarehouseError(
      `migrate waited ${timeoutMs / 1000} s, as long as LOCK_TIMEOUT_MS lets it, for a table or view that somebody ` +
        'else uses; find the session in pg_stat_activity, let it end, and run migrate again',
      { cause: error },
    );
  } finally {
    await set(rows[0]?.before ?? '0').catch(() => undefined);
  }
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
    migrationTableSchema: record.schema,
    migrationTableName: record.table,
    migrationLockTableName: recordLockTable,
    nameComparator: byCodeUnit,
  });
}

async function readMigrations(sqlDirectory: string): Promise<Record<string, Migration>> {
  const migrations: Record<string, Migration> = {};
  for (const name of await knownNames(sqlDirectory)) {
    const text = await readFile(join(sqlDirectory, 'migrations', `${name}.sql`), 'utf8');
    // Without parameters, node-postgres sends the text as a simple query, which may hold many statements.
    migrations[name] = { up: async (db) => void (await sql.raw(text).execute(db)) };
  }
  return migrations;
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
  const [applied, lock] = [`${record.schema}.${record.table}`, `${record.schema}.${recordLockTable}`];
  await client.query(`
    comment on table ${applied} is 'One row per migration that was applied.';
    comment on column ${applied}.name is 'File name in sql/migrations, without .sql.';
    comment on column ${applied}.timestamp is 'When it was applied, ISO 8601 in UTC.';
    comment on table ${lock} is 'One row, kept by the migration library.';
    comment on column ${lock}.id is 'Name of the lock.';
    comment on column ${lock}.is_locked is 'Not used on Postgres, which has advisory locks.';
  `);
}
