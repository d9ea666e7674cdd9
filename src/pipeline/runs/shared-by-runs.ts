/** What the runs of a process share, so that together they stay within the bounds of one. */
import { join } from 'node:path';
import type { Config } from '../../model/config.ts';
import type { Dimension } from '../../model/table.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { LockConnection } from '../../warehouse/ledger/lock-connection.ts';
import { closeDeadRuns } from '../../warehouse/ledger/run-ledger.ts';
import type { KnownRows } from '../../warehouse/load/known-rows.ts';
import { connectionsOfRuns, mostLoads, mostLoadsOfRuns } from './connections-of-run.ts';
import { createLoadAdmission, type LoadAdmission } from './load-admission.ts';
import { OnceForAll } from './once-for-all.ts';
import { dataDirectory, type Warehouse } from './open-warehouse.ts';
import { createReceivedMemory, type ReceivedMemory, removeSpillFiles } from './received-memory.ts';

/** What runs share; it is opened once, with the warehouse. */
export interface SharedByRuns {
  readonly locks: LockConnection;
  readonly memory: ReceivedMemory;
  readonly loads: LoadAdmission;
  /** Keys of dimensions that all organizations share. */
  readonly dimensionRows: Map<Dimension, KnownRows>;
  /** The search in the rows of all organizations for names of forgotten persons. */
  readonly forgottenSearch: OnceForAll;
  /** Closes runs of processes that died, at the first call; later calls return nothing. */
  closeDeadRuns(db: Database): Promise<readonly string[]>;
}

/** Opens it for runs in this warehouse; `signal` ends all of them. */
export function shareAmongRuns(
  { pool }: Pick<Warehouse, 'pool'>,
  config: Config,
  signal: AbortSignal,
): SharedByRuns {
  const directory = spillDirectory(config);
  removeSpillFiles(directory);
  const { lockTimeoutMs, memoryBytes, chunkBytes, maxDatabaseConnections } = config;
  let isLooked = false;
  return {
    locks: new LockConnection(pool, { lockTimeoutMs, signal, isShared: true }),
    memory: createReceivedMemory(memoryBytes, directory),
    loads: createLoadAdmission(
      mostLoadsOfRuns(connectionsOfRuns(maxDatabaseConnections)),
      mostBytesLoading(chunkBytes),
    ),
    dimensionRows: new Map(),
    forgottenSearch: new OnceForAll(),
    async closeDeadRuns(db) {
      if (isLooked) return [];
      isLooked = true;
      return closeDeadRuns(db);
    },
  };
}

/** The folder of files with received records. */
export function spillDirectory(config: Pick<Config, 'dataDirectory'>): string {
  return join(dataDirectory(config), 'tmp');
}

/** Bytes of a batch of loads, and of all loads together in memory. */
export function batchBytesOf({ chunkBytes }: Pick<Config, 'chunkBytes'>): number {
  return chunkBytes / 2;
}

function mostBytesLoading(chunkBytes: number): number {
  return 2 * mostLoads * batchBytesOf({ chunkBytes });
}
