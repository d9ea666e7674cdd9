/** The database that a job works on: the one of DATABASE_URL, or the embedded Postgres. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { checkout, inShell } from '../../model/installation.ts';
import { isLoopback } from '../../model/setting-kinds.ts';
import type { Timing } from '../../model/timing.ts';
import type { Log } from '../../reporting/log.ts';
import type { Limits } from '../../warehouse/connection/bounded-client.ts';
import { openPool } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';
import { withClient } from '../../warehouse/connection/one-client.ts';
import { refuseMissingAccess, refuseUnsafePooler } from '../../warehouse/connection/suitable-database.ts';
import { connectionSecurity } from '../../warehouse/connection/tls.ts';
import { pendingMigrations } from '../../warehouse/migrations/migration-status.ts';
import type { MigrateOptions } from '../../warehouse/migrations/migrations.ts';
import { mostLoads } from '../load/load-queue.ts';

/** An open warehouse. */
export interface Warehouse {
  readonly pool: pg.Pool;
  /** With its password: not for logs. */
  readonly url: string;
  readonly isEmbedded: boolean;
  /** The folder of the embedded Postgres. */
  readonly home?: string;
  /** Closes all connections, and stops the embedded Postgres if this process started it. */
  close(): Promise<void>;
}

/** How to open the warehouse. */
export interface WarehouseOptions {
  /** Undefined: the embedded Postgres. */
  readonly databaseUrl: string | undefined;
  readonly maxConnections: number;
  /** As `DATA_DIR` says. */
  readonly dataDirectory: string | undefined;
  /** Database in the embedded Postgres; made when missing. */
  readonly embeddedDatabase?: string;
  /** Limits to what is done in the database; default none. */
  readonly limits?: Limits;
  /** Cancels what is under way in the database, and gives up an embedded Postgres that has not come up yet. */
  readonly signal?: AbortSignal;
  readonly timing?: Timing | undefined;
  /** Told what takes time, and what should be set otherwise. */
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Connections that a run uses at most: one for each load, and those that hold the locks, make dimension keys and record
 * failures. With fewer, some would wait, and might wait too long.
 */
export const connectionsOfRun = mostLoads + 4;

/**
 * Opens the warehouse that the configuration names, migrated; enough connections for a run. With `readsOnly`, nothing
 * is to be written. Throws `ConfigurationError` when it cannot be used as it is.
 */
export async function openConfiguredWarehouse(
  {
    config,
    log,
    abort,
    timing,
  }: {
    readonly config: Config;
    readonly log: Log;
    readonly abort: AbortController;
    readonly timing?: Timing | undefined;
  },
  readsOnly = false,
): Promise<Warehouse> {
  const { signal } = abort;
  const options = { ...config, maxConnections: connectionsOfRun, limits: config, signal, timing, log };
  const warehouse = await openMigratedWarehouse(options, readsOnly, {
    lockTimeoutMs: config.lockTimeoutMs,
    signal,
    onWait: (sentence) => log.info(sentence),
  });
  // Who means a server and forgot to name it would load for hours into a place that nobody looks at.
  if (
    warehouse.isEmbedded &&
    !readsOnly &&
    config.platform !== undefined &&
    !isLoopback(config.platform.baseUrl)
  )
    log.warn(`DATABASE_URL is not set: this loads into the embedded Postgres in ${warehouse.home}`);
  return warehouse;
}

/**
 * Opens the warehouse and sees to it that its schema is that of this program: the embedded one is migrated, any
 * other must have been. Throws `ConfigurationError` when it was not.
 */
async function openMigratedWarehouse(
  options: WarehouseOptions,
  readsOnly: boolean,
  waiting: MigrateOptions,
): Promise<Warehouse> {
  const warehouse = await openWarehouse(options);
  try {
    const there = warehouse.isEmbedded ? undefined : await refuseUnusable(warehouse.pool, readsOnly);
    const pending = await pendingMigrations(warehouse.pool, undefined, there);
    if (pending.length > 0 && warehouse.isEmbedded) {
      const { migrate } = await import('../../warehouse/migrations/migrations.ts');
      // On a connection of its own: a change of the schema may take as long as it takes.
      await migrate(warehouse.url, waiting);
    } else if (pending.length > 0)
      throw new ConfigurationError([
        `DATABASE_URL: the database lacks ${pending.length} migrations (${pending.join(', ')}); run \`${inShell('migrate')}\` first`,
      ]);
    if (there !== undefined) refuseMissingSchemas(there);
    return warehouse;
  } catch (error) {
    await warehouse.close();
    throw error;
  }
}

/** Returns which of our schemas are there. */
async function refuseUnusable(pool: pg.Pool, readsOnly: boolean): Promise<ReadonlySet<string>> {
  await refuseUnsafePooler(pool);
  return await withClient(pool, async (client) => {
    const there = await refuseForeignOwners(client);
    await refuseMissingAccess(client, readsOnly);
    return there;
  });
}

/** Opens the warehouse as it is. */
export async function openWarehouse(options: WarehouseOptions): Promise<Warehouse> {
  const { databaseUrl, maxConnections, limits, signal, timing, log } = options;
  const bounds = { limits, signal, timing, onWait: (sentence: string) => log.warn(sentence) };
  if (databaseUrl !== undefined) {
    const pool = openPool(databaseUrl, maxConnections, bounds);
    const { warning } = connectionSecurity(databaseUrl, process.env);
    if (warning !== undefined) log.warn(warning);
    return { pool, url: databaseUrl, isEmbedded: false, close: () => pool.end() };
  }
  // Loaded only when needed: with DATABASE_URL set the program does not even look for it.
  const { startEmbeddedPostgres } = await import('../../embedded/embedded-postgres.ts');
  const postgres = await startEmbeddedPostgres({
    directory: dataDirectory(options),
    log: (message) => options.log.info(message),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.embeddedDatabase === undefined ? {} : { database: options.embeddedDatabase }),
  });
  const pool = openPool(postgres.url, maxConnections, bounds);
  return {
    pool,
    url: postgres.url,
    isEmbedded: true,
    home: postgres.home,
    async close() {
      await pool.end();
      await postgres.stop();
    },
  };
}

/**
 * The directory of the embedded Postgres and of temporary files: `DATA_DIR`, else `.data` of the checkout, wherever
 * cron starts the program, or the user's data directory for an installed package.
 */
export function dataDirectory({ dataDirectory: chosen }: Pick<Config, 'dataDirectory'>): string {
  if (chosen !== undefined) return resolve(chosen);
  if (checkout !== undefined) return join(checkout, '.data');
  const given = process.env.XDG_DATA_HOME ?? '';
  // The specification of XDG has relative paths ignored.
  return join(isAbsolute(given) ? given : join(homedir(), '.local', 'share'), 'usage-etl');
}
