/**
 * Brings a database up to date with `sql/`, in one transaction: migrations are plain files, applied once, in the order
 * of their names (Kysely's Migrator keeps the record, in `etl.migration`). Views are not migrated but follow their
 * files.
 */
import { join } from 'node:path';
import { Kysely, PostgresAdapter, PostgresDialect, type Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type pg from 'pg';
import { ConfigurationError, WarehouseError } from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import { isMissingRight } from '../connection/connection-problem.ts';
import { refuseForeignOwners } from '../connection/foreign-owners.ts';
import { isLockTimeout } from '../connection/limit-problem.ts';
import { withClient } from '../connection/one-client.ts';
import { readOpenRights } from '../connection/open-rights.ts';
import { refuseReadOnly, refuseUnsuitableServer } from '../connection/suitable-database.ts';
import { describeLockHolders } from '../locks/lock-holders.ts';
import { holdSchema, type SchemaLockWait } from '../locks/schema-lock.ts';
import { sqlDirectory as ownSqlDirectory } from '../sql-files.ts';
import { type Needed, needed, refuseWithoutAdministrator } from './administrator.ts';
import { commentColumns } from './column-comments.ts';
import {
  appliedMigrations,
  readMigrations,
  record,
  refuseNewerDatabase,
  statesOf,
} from './migration-status.ts';
import { grantToReaders } from './readers.ts';
import { runMigration } from './run-migration.ts';
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

const recordLockTable = 'migration_lock';
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
      const isPending = texts.some(({ name }) => !before.has(name));
      const dropDependents = options.dropDependents ?? false;
      const { applied, dropped } = isPending
        ? await applyPending(transaction, client, texts, dropDependents)
        : { applied: [], dropped: [] };
      if (before.size === 0) await describeRecord(client);
      await rememberChecksums(client, texts);
      const directory = join(sqlDirectory, 'views');
      const views = await bringViewsUpToDate(client, directory, dropDependents);
      await commentColumns(client, directory);
      const warnings = await grantToReaders(client);
      const open = await readOpenRights(client);
      if (open !== undefined) warnings.push(`${open.problem}; ${open.remedy}; see SECURITY.md`);
      await refuseForeignOwners(client, { isThorough: true });
      return {
        applied,
        alreadyApplied: [...before.keys()].sort(byCodeUnit),
        views: { ...views, dropped: [...dropped, ...views.dropped] },
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

async function applyPending(
  db: Transaction<unknown>,
  client: pg.ClientBase,
  texts: readonly SqlText[],
  dropDependents: boolean,
): Promise<{ applied: string[]; dropped: readonly string[] }> {
  // Most runs migrate nothing, and start sooner without it.
  const { Migrator } = await import('kysely/migration');
  /** The migrator goes on asking in the failed transaction, and tells only what came of that. */
  let failure: WarehouseError | undefined;
  const fallen: string[] = [];
  const migrationOf = ({ name, text }: SqlText): Migration => ({
    async up() {
      try {
        const dropped = await runMigration(client, text);
        fallen.push(...dropped.map((description) => `${description}, in the way of migration ${name}`));
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
    migrationLockTableName: recordLockTable,
    nameComparator: byCodeUnit,
  }).migrateToLatest();
  if (error !== undefined)
    throw failure ?? new WarehouseError('the database could not be migrated', { cause: error });
  if (fallen.length > 0 && !dropDependents)
    throw new ConfigurationError([
      'migrations drop what is not needed any more, and what others have built on it would be dropped too; nothing was changed; ' +
        `rebuild the following without it, or run \`${inShell('migrate --drop-dependents')}\`:`,
      ...fallen.map((description) => `  ${description}`),
    ]);
  return { applied: (results ?? []).map(({ migrationName }) => migrationName), dropped: fallen };
}

/** Migrations that were applied before there were checksums are taken to be the files of now. */
async function rememberChecksums(client: pg.ClientBase, texts: readonly SqlText[]): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select exists (
      select from pg_catalog.pg_attribute
      where attrelid = pg_catalog.to_regclass($1) and attname = 'checksum' and not attisdropped
    )`,
    [`${record.schema}.${record.table}`],
  );
  if (rows[0]?.exists !== true) return;
  await client.query(
    `update ${record.schema}.${record.table} as migration
    set checksum = file.checksum
    from unnest($1::text[], $2::text[]) as file (name, checksum)
    where migration.name = file.name and migration.checksum is null`,
    [texts.map(({ name }) => name), texts.map(({ checksum }) => checksum)],
  );
}

/**
 * Runs `work` with a limit to every wait for a table or view: behind a waiting change, all its readers wait. Tells what
 * to do about what the server refused.
 */
async function withLockTimeout<T>(
  client: pg.ClientBase,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ before: string }>(
    `select pg_catalog.current_setting('lock_timeout') as before`,
  );
  const set = (timeout: string) =>
    client.query(`select pg_catalog.set_config('lock_timeout', $1, false)`, [timeout]);
  await set(String(timeoutMs));
  try {
    return await work();
  } catch (error) {
    if (isMissingRight(error))
      throw new ConfigurationError(
        [
          'DATABASE_URL: the role lacks a right that migrate needs; use the one that owns the schemas; see SECURITY.md',
        ],
        { cause: error },
      );
    if (!isLockTimeout(error)) throw error;
    const holders = (await describeLockHolders(client)) || 'it has ended since';
    throw new WarehouseError(
      `migrate waited ${timeoutMs / 1000} s, as long as LOCK_TIMEOUT_MS lets it, for a table or view that somebody ` +
        `else uses (${holders}); nothing was changed; let that session end, and run migrate again`,
      { cause: error },
    );
  } finally {
    await set(rows[0]?.before ?? '0').catch(() => undefined);
  }
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
function kyselyOn(client: pg.ClientBase): Kysely<unknown> {
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
