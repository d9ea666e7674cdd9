/** Opens the warehouse of the settings, and closes it after the work. */
import { ConfigurationError } from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import { isLoopback } from '../../model/setting-kinds.ts';
import { counted } from '../../reporting/number-text.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';
import { withClient } from '../../warehouse/connection/one-client.ts';
import { refuseMissingAccess, refuseUnsafePooler } from '../../warehouse/connection/suitable-database.ts';
import { pendingMigrations } from '../../warehouse/migrations/migration-status.ts';
import { connectionsOfRun, connectionsOfRuns } from './connections-of-run.ts';
import type { JobSurroundings, OpenSurroundings } from './job-surroundings.ts';
import { openWarehouse, type Warehouse, type WarehouseOptions, warehouseProblem } from './open-warehouse.ts';

/** The access that the work needs. A read-only server is enough for work that only reads. */
export type Access = 'reads' | 'writes';

/**
 * Does `work` on the warehouse of the settings, migrated, with enough connections for a run. The work gets an `abort`
 * of its own, so that work that stops does not stop its caller. A warehouse that is open already is used as it is.
 * Throws `ConfigurationError` if the warehouse cannot be used, and the errors of `work`.
 */
export async function withWarehouse<T>(
  surroundings: JobSurroundings,
  access: Access,
  work: (open: OpenSurroundings) => Promise<T>,
): Promise<T> {
  const { warehouse } = surroundings;
  if (warehouse !== undefined) return work({ ...surroundings, warehouse });
  return withOwnAbort(surroundings, (own) =>
    closingWarehouse(openMigratedWarehouse(own, access, { maxConnections: connectionsOfRun }), (opened) =>
      work({ ...own, warehouse: opened }),
    ),
  );
}

/** The same for many runs, which share the connections that the settings allow. */
export function withSharedWarehouse<T>(
  surroundings: JobSurroundings,
  access: Access,
  work: (open: OpenSurroundings) => Promise<T>,
): Promise<T> {
  const places = {
    isShared: true,
    maxConnections: connectionsOfRuns(surroundings.config.maxDatabaseConnections),
  };
  return withOwnAbort(surroundings, (own) =>
    closingWarehouse(openMigratedWarehouse(own, access, places), (opened) =>
      work({ ...own, warehouse: opened }),
    ),
  );
}

/** Opens the warehouse, does not migrate it, does `work`, and closes it. */
export function withUnmigratedWarehouse<T>(
  options: WarehouseOptions,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> {
  return closingWarehouse(openWarehouse(options), work);
}

async function closingWarehouse<T>(
  opening: Promise<Warehouse>,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> {
  const warehouse = await opening;
  try {
    return await work(warehouse);
  } catch (error) {
    throw await warehouseProblem(error, warehouse);
  } finally {
    await warehouse.close();
  }
}

/** If the caller aborts, the work aborts; if the work aborts, the caller does not. */
export async function withOwnAbort<T>(
  surroundings: JobSurroundings,
  work: (own: JobSurroundings) => Promise<T>,
): Promise<T> {
  const { signal } = surroundings.abort;
  const abort = new AbortController();
  const pass = () => abort.abort(signal.reason);
  if (signal.aborted) pass();
  signal.addEventListener('abort', pass, { once: true });
  try {
    return await work({ ...surroundings, abort });
  } finally {
    signal.removeEventListener('abort', pass);
  }
}

/**
 * Opens a warehouse with the schema of this version. It migrates the embedded one. Throws `ConfigurationError` if
 * another one lacks migrations.
 */
async function openMigratedWarehouse(
  { config, log, abort: { signal }, timing }: JobSurroundings,
  access: Access,
  places: Pick<WarehouseOptions, 'maxConnections' | 'isShared'>,
): Promise<Warehouse> {
  const warehouse = await openWarehouse({
    ...config,
    ...places,
    limits: config,
    signal,
    timing,
    log,
  });
  try {
    const there = warehouse.isEmbedded ? undefined : await refuseUnusable(warehouse, access);
    const pending = await pendingMigrations(warehouse.pool, undefined, there);
    if (pending.length > 0 && warehouse.isEmbedded) {
      const { migrate } = await import('../../warehouse/migrations/migrations.ts');
      // Give the URL, not the pool: a migration may take longer than the statement timeout of the pool.
      await migrate(warehouse.url, {
        lockTimeoutMs: config.lockTimeoutMs,
        signal,
        onWait: (sentence) => log.info(sentence),
      });
    } else if (pending.length > 0)
      throw new ConfigurationError([
        `DATABASE_URL: the database lacks ${counted(pending.length, 'migration')}; run \`${inShell('migrate')}\` first`,
      ]);
    if (there !== undefined) refuseMissingSchemas(there);
  } catch (error) {
    await warehouse.close();
    throw await warehouseProblem(error, warehouse);
  }
  // Perhaps the user forgot DATABASE_URL, and would load for hours into the wrong database.
  const platforms = config.organizations ?? (config.platform === undefined ? [] : [config.platform]);
  const isReal = platforms.some(({ baseUrl }) => !isLoopback(baseUrl));
  if (warehouse.isEmbedded && access === 'writes' && isReal)
    log.warn(`DATABASE_URL is not set: this loads into the embedded Postgres in ${warehouse.home}`);
  return warehouse;
}

/** Returns the schemas of this program that exist. Throws `ConfigurationError` if the database cannot be used. */
async function refuseUnusable({ pool }: Warehouse, access: Access): Promise<ReadonlySet<string>> {
  await refuseUnsafePooler(pool);
  return await withClient(pool, async (client) => {
    const there = await refuseForeignOwners(client);
    await refuseMissingAccess(client, access === 'reads');
    return there;
  });
}
