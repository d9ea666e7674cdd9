/**
 * Brings a database up to date with `sql/`, in one transaction: migrations are plain files, applied once, in the order
 * of their names (Kysely's Migrator keeps the record, in `etl.migration`). Views are not migrated but follow their
 * files.
 */
import { join } from 'node:path';
import type pg from 'pg';
import { ConfigurationError } from '../../model/errors.ts';
import { refuseForeignOwners } from '../connection/foreign-owners.ts';
import { withClient } from '../connection/one-client.ts';
import { readOpenRights } from '../connection/open-rights.ts';
import { refuseReadOnly, refuseUnsuitableServer } from '../connection/suitable-database.ts';
import { holdSchema, type SchemaLockWait } from '../locks/schema-lock.ts';
import { sqlDirectory as ownSqlDirectory } from '../sql-files.ts';
import { type Needed, needed, refuseWithoutAdministrator } from './administrator.ts';
import { applyPending, kyselyOn } from './apply-pending.ts';
import { commentColumns } from './column-comments.ts';
import { withLockTimeout } from './lock-timeout.ts';
import { appliedMigrations, readMigrations, refuseNewerDatabase, statesOf } from './migration-status.ts';
import { grantToReaders } from './readers.ts';
import { makeRecord, storeChecksums } from './record.ts';
import { makeSchemas } from './schemas.ts';
import { byCodeUnit, type SqlText } from './sql-text.ts';
import { bringViewsUpToDate, type ViewChanges } from './views.ts';

/** What `migrate` did. */
export interface MigrationSummary {
  /** Names of the migrations applied by this call, in order. */
  readonly applied: string[];
  /** Names of those that were there before. */
  readonly alreadyApplied: string[];
  readonly views: ViewChanges;
  /** What could not be done, and what to do about it. */
  readonly warnings: readonly string[];
}

const defaultLockTimeoutMs = 30_000;

/** How `migrate` waits, and what it does beside migrating. */
export interface MigrateOptions extends Partial<Omit<SchemaLockWait, 'timeoutMs'>> {
  /** Directory that holds `migrations/*.sql` and `views/*.sql`; default the program's own. */
  readonly sqlDirectory?: string;
  /** What these files make or expect outside of schemas; default what the program's own do. */
  readonly needs?: Needed;
  /** Longest wait for runs in progress, and for each table or view that somebody uses; default 30 s. */
  readonly lockTimeoutMs?: number;
  /** Lets a view that must be dropped take with it what others have built on it. */
  readonly dropDependents?: boolean;
  /** Done first, while no run is in progress. */
  readonly first?: (client: pg.ClientBase) => Promise<unknown>;
}

/**
 * Applies every migration that the database lacks, and the views that changed, while no run is in progress: all of it
 * or nothing, but for schemas, which are there, empty, before anything is read. Where several processes do this at once, one works and the others wait, to find nothing left to do. A
 * role without the right to create schemas can migrate when they exist and let it create in them.
 *
 * `database` is a connection string or a pool, of which one connection is used. Throws `LockHeldError` naming the
 * runs that it waited for in vain, `AdministratorNeededError` when the role may not make what is needed,
 * `ConfigurationError` when the database cannot be used as it is, a newer version of this program has migrated it, an
 * applied migration was edited since, or something of others would be dropped with a view, `WarehouseError` when a
 * file fails.
 */
export async function migrate(
  database: string | pg.Pool,
  options: MigrateOptions = {},
): Promise<MigrationSummary> {
  const { sqlDirectory = ownSqlDirectory, lockTimeoutMs = defaultLockTimeoutMs, signal, onWait } = options;
  return await withClient(database, async (client) => {
    await refuseUnsuitableServer(client);
    await refuseReadOnly(client);
    await refuseForeignOwners(client);
    await refuseWithoutAdministrator(client, options.needs ?? needed);
    await withLockTimeout(client, lockTimeoutMs, () => makeSchemas(client));
    await refuseForeignOwners(client, { isThorough: true });
    const release = await holdSchema(client, { timeoutMs: lockTimeoutMs, signal, onWait });
    try {
      return await withLockTimeout(client, lockTimeoutMs, async () => {
        await options.first?.(client);
        // That may have dropped them.
        await makeSchemas(client);
        return await bringUpToDate(client, sqlDirectory, options);
      });
    } finally {
      // Where the connection is gone, so is the lock; why it went is what the caller must hear.
      await release().catch(() => undefined);
    }
  });
}

async function bringUpToDate(
  client: pg.ClientBase,
  sqlDirectory: string,
  options: MigrateOptions,
): Promise<MigrationSummary> {
  const texts = readMigrations(sqlDirectory);
  return await kyselyOn(client)
    .transaction()
    .execute(async (transaction) => {
      // Others may have had the time of a long wait.
      await refuseForeignOwners(client, { isThorough: true });
      const before = await appliedMigrations(client);
      refuseNewerDatabase(
        before,
        texts.map(({ name }) => name),
      );
      refuseEdited(before, texts);
      if (before.size === 0) await makeRecord(client);
      const isPending = texts.some(({ name }) => !before.has(name));
      const applied = isPending ? await applyPending(transaction, client, texts) : [];
      if (isPending) await storeChecksums(client, texts);
      const directory = join(sqlDirectory, 'views');
      const views = await bringViewsUpToDate(client, directory, options.dropDependents ?? false);
      await commentColumns(client, directory);
      const warnings = await grantToReaders(client);
      const open = await readOpenRights(client);
      if (open !== undefined) warnings.push(`${open.problem}; ${open.remedy}; see SECURITY.md`);
      await refuseForeignOwners(client, { isThorough: true });
      return {
        applied,
        alreadyApplied: [...before.keys()].sort(byCodeUnit),
        views,
        warnings,
      };
    });
}

function refuseEdited(applied: ReadonlyMap<string, string | null>, texts: readonly SqlText[]): void {
  const edited = statesOf(applied, texts).filter((state) => state.edited);
  if (edited.length > 0)
    throw new ConfigurationError(
      edited.map(
        ({ name }) =>
          `migration ${name}: expected the file that this database was migrated with, got another; ` +
          'restore it, and put the change into a new migration; nothing was changed',
      ),
    );
}
