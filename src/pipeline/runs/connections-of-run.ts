/** How many connections to the database a run, or a process with many runs, uses. */

/** Loads of a run at the same time. A single load would mostly wait for the database. */
export const mostLoads = 4;

/**
 * The size of a run's pool: one connection for each load, and others that hold the locks, make dimension keys and
 * record failures. One more, outside the pool, asks who holds a lock. With fewer connections some of these would wait, and could reach a timeout.
 */
export const connectionsOfRun = mostLoads + 4;

/** One asks who holds a lock, one reads what messages were sent, and two belong to the monitor. */
const outsideOfPool = 4;

/** The size of the pool that all runs of a process share, if the process may have so many connections. */
export function connectionsOfRuns(maxDatabaseConnections: number): number {
  return maxDatabaseConnections - outsideOfPool;
}

/** Loads of all runs of a process at the same time, in a pool of this size. Their keys and ledger rows need as many connections. */
export function mostLoadsOfRuns(poolSize: number): number {
  return Math.max(2, Math.floor(poolSize / 2) - 1);
}
