/**
 * The locks of a run, and a session for its ledger rows. A run of its own has one connection for both. Runs that share a
 * process share a connection for their locks, and take sessions from the pool.
 */
import type pg from 'pg';
import { type Session, withSession } from '../connection/connection.ts';
import { retryOnConnectionLoss } from '../connection/reconnect.ts';
import { LockConnection } from './lock-connection.ts';
import type { LocksOfRun, RunWithLocks } from './locks-of-run.ts';

/** The locks of a run, and a session for its ledger rows. */
export interface ControlConnection extends Omit<LocksOfRun, 'use'> {
  /** Runs `work` on a connection; repeats it on a new one if the connection is lost. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** The same on the connection that holds the locks. Other runs may use it at the same time, so begin no transaction. */
  useLocks<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

/** Options of a control connection. */
export interface ControlOptions extends RunWithLocks {
  /** Longest wait for a running `migrate`, at first and after each reconnect. */
  readonly lockTimeoutMs: number;
}

/**
 * Opens the control connection of a run; while it is open, the schema does not change. `shared` holds the locks of all runs
 * of the process. Throws `LockHeldError` if `migrate` runs for too long, `WarehouseError` if the database cannot be reached
 * or its schema is newer than this program.
 */
export async function openControlConnection(
  pool: pg.Pool,
  options: ControlOptions,
  shared?: LockConnection,
): Promise<ControlConnection> {
  const locks = await (shared ?? new LockConnection(pool, options)).join(options);
  const useOfPool: ControlConnection['use'] = (work) =>
    retryOnConnectionLoss(pool, options.signal, () => withSession(pool, work));
  return { ...locks, use: shared === undefined ? locks.use : useOfPool, useLocks: locks.use };
}
