/** Applies the migrations that a database lacks, by Kysely's migrator. */
import { Kysely, PostgresAdapter, PostgresDialect, type Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';
import { record } from './record.ts';
import { byCodeUnit, type SqlText } from './sql-text.ts';

/**
 * Applies them within the transaction `db`, which works on `client`, in the order of their names; returns the names.
 * Throws `WarehouseError` naming the file that fails, or that would have to run before one that is applied.
 */
export async function applyPending(
  db: Transaction<unknown>,
  client: pg.ClientBase,
  texts: readonly SqlText[],
): Promise<string[]> {
  // Most runs migrate nothing, and start sooner without it.
  const { Migrator } = await import('kysely/migration');
  /** The migrator goes on asking in the failed transaction, and tells only what came of that. */
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

/** Without the lock of Kysely's migrator, whose number anybody can hold: ours does what it is for. */
class UnlockedDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new (class extends PostgresAdapter {
      override async acquireMigrationLock(): Promise<void> {}
      override async releaseMigrationLock(): Promise<void> {}
    })();
  }
}

/** Kysely works on this one connection only, so that the lock, which is the session's, covers all it does. */
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
