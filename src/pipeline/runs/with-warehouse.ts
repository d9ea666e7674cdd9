/** The warehouse that the settings name, open for the time of some work. */
import { ConfigurationError } from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import { isLoopback } from '../../model/setting-kinds.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';
import { withClient } from '../../warehouse/connection/one-client.ts';
import { refuseMissingAccess, refuseUnsafePooler } from '../../warehouse/connection/suitable-database.ts';
import { pendingMigrations } from '../../warehouse/migrations/migration-status.ts';
import { connectionsOfRun } from './connections-of-run.ts';
import type { JobSurroundings, OpenSurroundings } from './job-surroundings.ts';
import { openWarehouse, type Warehouse, type WarehouseOptions } from './open-warehouse.ts';

/** What work does in a warehouse: a server that is read-only is good enough for what only reads. */
export type Access = 'reads' | 'writes';

/**
 * Does `work` on the warehouse that the settings name, migrated, with enough connections for a run. Its `abort` is one
 * of its own: work that must stop does not stop who asked for it. Takes a warehouse that is open already as it is.
 * Throws `ConfigurationError` when the warehouse cannot be used as it is, and what `work` throws.
 */
export async function withWarehouse<T>(
  surroundings: JobSurroundings,
  access: Access,
  work: (open: OpenSurroundings) => Promise<T>,
): Promise<T> {
  const { warehouse } = surroundings;
  if (warehouse !== undefined) return work({ ...surroundings, warehouse });
  return withOwnAbort(surroundings, (own) =>
    closingWarehouse(openMigratedWarehouse(own, access), (opened) => work({ ...own, warehouse: opened })),
  );
}

/** Does `work` on the warehouse as it is, and closes it. */
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
  } finally {
    await warehouse.close();
  }
}

/** A signal to who asked for the work aborts the work, and not the other way round. */
async function withOwnAbort<T>(
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
 * Opens the warehouse and sees to it that its schema is that of this program: the embedded one is migrated, any
 * other must have been. Throws `ConfigurationError` when it was not.
 */
async function openMigratedWarehouse(
  { config, log, abort: { signal }, timing }: JobSurroundings,
  access: Access,
): Promise<Warehouse> {
  const warehouse = await openWarehouse({
    ...config,
    maxConnections: connectionsOfRun,
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
      // On a connection of its own: a change of the schema may take as long as it takes.
      await migrate(warehouse.url, {
        lockTimeoutMs: config.lockTimeoutMs,
        signal,
        onWait: (sentence) => log.info(sentence),
      });
    } else if (pending.length > 0)
      throw new ConfigurationError([
        `DATABASE_URL: the database lacks ${pending.length} migrations (${pending.join(', ')}); run \`${inShell('migrate')}\` first`,
      ]);
    if (there !== undefined) refuseMissingSchemas(there);
  } catch (error) {
    await warehouse.close();
    throw error;
  }
  // Who means a server and forgot to name it would load for hours into a place that nobody looks at.
  if (
    warehouse.isEmbedded &&
    access === 'writes' &&
    config.platform !== undefined &&
    !isLoopback(config.platform.baseUrl)
  )
    log.warn(`DATABASE_URL is not set: this loads into the embedded Postgres in ${warehouse.home}`);
  return warehouse;
}

/** Returns which of our schemas are there. */
async function refuseUnusable({ pool }: Warehouse, access: Access): Promise<ReadonlySet<string>> {
  await refuseUnsafePooler(pool);
  return await withClient(pool, async (client) => {
    const there = await refuseForeignOwners(client);
    await refuseMissingAccess(client, access === 'reads');
    return there;
  });
}
