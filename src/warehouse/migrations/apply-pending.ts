/** Applies the migrations that a database lacks, by Kysely's migrator. */
import { Kysely, PostgresAdapter, PostgresDialect, type Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';
import { record } from './record.ts';
import { byCodeUnit, type SqlText } from './sql-text.ts';

/**
 * Applies missing migrations in the order of their names, within the transaction `db` on the connection `client`; returns
 * their names. Throws `WarehouseError` when a file fails, or when its name sorts before one that was applied already; the
 * error names the file.
 */
export async function applyPending(
  db: Transaction<unknown>,
  client: pg.ClientBase,
  texts: readonly SqlText[],
): Promise<string[]> {
  // Most calls have nothing to apply, and start faster without this import.
  const { Migrator } = await import('kysely/migration');
  /** The first failure. The migrator goes on in the failed transaction, and reports only the error that follows. */
  let failure: WarehouseError | undefined;
  const migrationOf = ({ name, text }: SqlText): Migration => ({
    async up() {
      try {
        // Without parameters, node-postgres sends the text as a simple query, which may hold many statements.
        await client.query(text);
      } catch (cause) {
        failure = new WarehouseError(`migration ${name} failed, nothing was changed`, { cause });
        throw failure;
      }
    },
  });
  const migrations = Object.fromEntries(texts.map((text) => [text.name, migrationOf(text)]));
  const { results, error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableSchema: record.schema,
    migrationTableName: record.table,
    migrationLockTableName: record.lockTable,
    nameComparator: byCodeUnit,
  }).migrateToLatest();
  if (error !== undefined)
    throw failure ?? new WarehouseError('the database could not be migrated', { cause: error });
  return (results ?? []).map(({ migrationName }) => migrationName);
}

/** Switches off the lock of Kysely's migrator: anybody can take it, and our own lock protects the migration. */
class UnlockedDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new (class extends PostgresAdapter {
      override async acquireMigrationLock(): Promise<void> {}
      override async releaseMigrationLock(): Promise<void> {}
    })();
  }
}

/** Kysely on this one connection: the connection holds our lock, so the lock covers all that Kysely does. */
export function kyselyOn(client: pg.ClientBase): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: new UnlockedDialect({
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
}
