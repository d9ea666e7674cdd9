/** Which migrations a database has, and which of them this program knows. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';
import { withClient } from '../connection/one-client.ts';
import { sqlDirectory as ownSqlDirectory } from '../sql-files.ts';

/** Where Kysely's migrator keeps its record. */
export const record = { schema: 'etl', table: 'migration' } as const;
const extension = '.sql';

/** One migration, as the database and this program know it. */
export interface MigrationState {
  /** File name without `.sql`. */
  readonly name: string;
  readonly applied: boolean;
  /** False for one that the database has, and this (older) program has no file for. */
  readonly known: boolean;
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

/** Throws `WarehouseError` when a newer version of this program has migrated the database. */
export async function refuseNewerSchema(client: pg.ClientBase): Promise<void> {
  refuseNewerDatabase(await listMigrations(client, ownSqlDirectory));
}

/** What Kysely's migrator would say, without all that it reads about the tables of the database. */
export async function listMigrations(client: pg.ClientBase, sqlDirectory: string): Promise<MigrationState[]> {
  const recorded = new Set(await recordedNames(client));
  const known = new Set(await knownNames(sqlDirectory));
  return [...known.union(recorded)]
    .sort(byCodeUnit)
    .map((name) => ({ name, applied: recorded.has(name), known: known.has(name) }));
}

async function recordedNames(client: pg.ClientBase): Promise<string[]> {
  const found = await client.query<{ exists: boolean }>(
    'select exists (select from pg_tables where schemaname = $1 and tablename = $2)',
    [record.schema, record.table],
  );
  if (found.rows[0]?.exists !== true) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${record.schema}.${record.table}`);
  return rows.map(({ name }) => name);
}

/** Throws `WarehouseError` when the database has a migration that this program does not know. */
export function refuseNewerDatabase(states: readonly MigrationState[]): void {
  const unknown = states.filter(({ known }) => !known).map(({ name }) => name);
  if (unknown.length > 0)
    throw new WarehouseError(
      `expected a database that this version of the program knows, but it has the migration ${unknown.join(', ')}: ` +
        'a newer version was here; update the program',
    );
}

/** Names of the migrations that this program has files for, in order. */
export async function knownNames(sqlDirectory: string): Promise<string[]> {
  const files = (await readdir(join(sqlDirectory, 'migrations'))).filter((file) => file.endsWith(extension));
  return files.sort(byCodeUnit).map((file) => file.slice(0, -extension.length));
}

/** The order of names that does not depend on a locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
