/** Which migrations a database has, and which of them this program knows. */
import { join } from 'node:path';
import type pg from 'pg';
import { ConfigurationError } from '../../model/errors.ts';
import { refuseForeignOwners } from '../connection/foreign-owners.ts';
import { withClient } from '../connection/one-client.ts';
import { sqlDirectory as ownSqlDirectory } from '../sql-files.ts';
import { record } from './record.ts';
import { byCodeUnit, readSqlTexts, type SqlText, sqlNames } from './sql-text.ts';

/** One migration, as the database and this program know it. */
export interface MigrationState {
  /** File name without `.sql`. */
  readonly name: string;
  readonly applied: boolean;
  /** Whether this program has a file for the migration; an older program than the one that applied it has none. */
  readonly known: boolean;
  /** Whether its file was changed after it was applied. */
  readonly edited: boolean;
}

/**
 * Every migration that this program or the database knows, in the order of their names. Only reads, and also works on a
 * database that was never migrated. `database` and `sqlDirectory` are as for `migrate`. Throws `ConfigurationError` when
 * the objects to read belong to roles that are not trusted.
 */
export async function migrationStatus(
  database: string | pg.Pool,
  sqlDirectory: string = ownSqlDirectory,
): Promise<MigrationState[]> {
  return await withClient(database, async (client) => {
    const there = await refuseForeignOwners(client);
    const applied = there.has(record.schema) ? await appliedMigrations(client) : new Map<string, null>();
    return statesOf(applied, readMigrations(sqlDirectory));
  });
}

/**
 * Names of the migrations that the database lacks, in order; empty when it is up to date. Throws `ConfigurationError` when a
 * newer version of this program has migrated it. `database` and `sqlDirectory` are as for `migrate`. `there` names the
 * schemas that exist and whose owner was checked: no other schema is read.
 */
export async function pendingMigrations(
  database: string | pg.Pool,
  sqlDirectory: string = ownSqlDirectory,
  there: ReadonlySet<string> = new Set([record.schema]),
): Promise<string[]> {
  const known = knownNames(sqlDirectory);
  if (!there.has(record.schema)) return known;
  const applied = await withClient(database, appliedMigrations);
  refuseNewerDatabase(applied, known);
  return known.filter((name) => !applied.has(name));
}

/** Throws `ConfigurationError` when a newer version of this program has migrated the database. Call it only on a database with `etl.migration`. */
export async function refuseNewerSchema(client: pg.ClientBase): Promise<void> {
  refuseNewerDatabase(await recordedMigrations(client), knownNames(ownSqlDirectory));
}

/**
 * The checksum of each applied migration, by its name; null where none is stored. Kysely's migrator could also tell the
 * names, but would read the whole catalog for them.
 */
export async function appliedMigrations(client: pg.ClientBase): Promise<Map<string, string | null>> {
  const found = await client.query<{ exists: boolean }>(
    'select exists (select from pg_catalog.pg_tables where schemaname = $1 and tablename = $2)',
    [record.schema, record.table],
  );
  return found.rows[0]?.exists === true ? await recordedMigrations(client) : new Map();
}

async function recordedMigrations(client: pg.ClientBase): Promise<Map<string, string | null>> {
  const { rows } = await client.query<{ name: string; checksum: string | null }>(
    'select name, checksum from etl.migration',
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/** Compares the applied migrations with the files of this program. */
export function statesOf(
  applied: ReadonlyMap<string, string | null>,
  texts: readonly SqlText[],
): MigrationState[] {
  const checksums = new Map(texts.map(({ name, checksum }) => [name, checksum]));
  return [...new Set([...checksums.keys(), ...applied.keys()])].sort(byCodeUnit).map((name) => {
    const [now, then] = [checksums.get(name), applied.get(name) ?? undefined];
    const edited = now !== undefined && then !== undefined && now !== then;
    return { name, applied: applied.has(name), known: checksums.has(name), edited };
  });
}

/** Throws `ConfigurationError` when the database has a migration that this program does not know. */
export function refuseNewerDatabase(applied: ReadonlyMap<string, unknown>, known: readonly string[]): void {
  const unknown = [...applied.keys()].filter((name) => !known.includes(name)).sort(byCodeUnit);
  if (unknown.length > 0)
    throw new ConfigurationError([
      `DATABASE_URL: expected a database that this version of the program knows, but it has the migration ${unknown.join(', ')}: ` +
        'a newer version was here; update the program',
    ]);
}

/** The migrations of this program, in order. */
export function readMigrations(sqlDirectory: string): SqlText[] {
  return readSqlTexts(join(sqlDirectory, 'migrations'));
}

function knownNames(sqlDirectory: string): string[] {
  return sqlNames(join(sqlDirectory, 'migrations'));
}
