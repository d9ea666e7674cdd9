/**
 * Brings a database up to date with `sql/`, in one transaction. Migrations are plain files; each is applied once, in the
 * order of their names, and Kysely's migrator records it in `etl.migration`. Views are not migrated: they are created again
 * whenever their file changes.
 */
import { join } from 'node:path';
import type pg from 'pg';
import { ConfigurationError } from '../../model/errors.ts';
import { refuseForeignOwners } from '../connection/foreign-owners.ts';
import { withClient } from '../connection/one-client.ts';
import { readOpenRights } from '../connection/open-rights.ts';
import { refuseReadOnly, refuseUnsuitableServer } from '../connection/suitable-database.ts';
import { ownSchemas, queueSchema } from '../connection/trusted-roles.ts';
import { holdSchema, type SchemaLockWait } from '../locks/schema-lock.ts';
import { migrateQueue, type QueueState, readQueueState } from '../queue/queue-schema.ts';
import { sqlDirectory as ownSqlDirectory } from '../sql-files.ts';
import { mayUseSchema, type Needed, needed, refuseWithoutAdministrator } from './administrator.ts';
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
  /** Names of the migrations that were applied before. */
  readonly alreadyApplied: string[];
  readonly views: ViewChanges;
  /** Sentences about what could not be done, and what to do about it. */
  readonly warnings: readonly string[];
  /** The queue; undefined if it was not asked for, or its schema is missing and the role may not create it. */
  readonly queue?: QueueState;
}

const defaultLockTimeoutMs = 30_000;

/** How `migrate` waits, and what it does beside migrating. */
export interface MigrateOptions extends Partial<Omit<SchemaLockWait, 'timeoutMs'>> {
  /** Directory that holds `migrations/*.sql` and `views/*.sql`; default the program's own. */
  readonly sqlDirectory?: string;
  /** The schemas and roles that the files in `sqlDirectory` use; default: those that the program's own files use. */
  readonly needs?: Needed;
  /** Longest wait for runs in progress, and for each table or view that somebody uses; default 30 s. */
  readonly lockTimeoutMs?: number;
  /** Whether objects of others that depend on a view may be dropped with it, when the view must be dropped. */
  readonly dropDependents?: boolean;
  /** Whether to make the queue as well, or only if the role may; default no. */
  readonly queue?: 'needed' | 'if-possible';
  /** Called before anything is migrated, while no run is in progress. */
  readonly first?: (client: pg.ClientBase) => Promise<unknown>;
}

/**
 * Applies every migration that the database lacks and every view that changed, while no run is in progress: all or nothing.
 * Only missing schemas are created before the transaction, and the queue is migrated after it. If several processes call this at the same time, one of them
 * works; the others wait and then find nothing to do. A role that may not create schemas can migrate if the schemas exist
 * and it may create objects in them.
 *
 * `database` is a connection string, or a pool of which one connection is used. Throws
 * - `LockHeldError` when runs in progress do not end in time; the error names them,
 * - `AdministratorNeededError` when the role may not create what is needed,
 * - `ConfigurationError` when the database is not suitable, a newer version of this program has migrated it, an applied
 *   migration was edited, or objects of others would be dropped with a view,
 * - `WarehouseError` when a file fails.
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
    const withQueue =
      options.queue === 'needed' ||
      (options.queue === 'if-possible' && (await mayUseSchema(client, queueSchema)));
    const schemas = withQueue ? [...ownSchemas, queueSchema] : ownSchemas;
    const needs = options.needs ?? needed;
    await refuseWithoutAdministrator(client, {
      ...needs,
      schemas: withQueue ? [...needs.schemas, queueSchema] : needs.schemas,
    });
    await withLockTimeout(client, lockTimeoutMs, () => makeSchemas(client, schemas));
    await refuseForeignOwners(client, { isThorough: true });
    const release = await holdSchema(client, { timeoutMs: lockTimeoutMs, signal, onWait });
    try {
      return await withLockTimeout(client, lockTimeoutMs, async () => {
        await options.first?.(client);
        // `first` may have dropped the schemas.
        await makeSchemas(client, schemas);
        const summary = await bringUpToDate(client, sqlDirectory, options);
        return withQueue ? { ...summary, queue: await migrateQueue(client) } : summary;
      });
    } finally {
      // If the connection is gone, the lock is gone, too. The caller must get the error of the lost connection.
      await release().catch(() => undefined);
    }
  });
}

/** The migrations of the queue's library in a database. Only reads. Throws `ConfigurationError` as `migrationStatus`. */
export async function queueStatus(database: string | pg.Pool): Promise<QueueState> {
  return await withClient(database, async (client) =>
    readQueueState(client, await refuseForeignOwners(client)),
  );
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
      // Check again: others may have created objects while we waited for the lock.
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
