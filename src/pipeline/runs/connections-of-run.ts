/** How many connections to the database a run uses. */

/** Loads at the same time. A single load would mostly wait for the database. */
export const mostLoads = 4;

/**
 * The size of a run's pool: one connection for each load, and others that hold the locks, make dimension keys and
 * record failures. One more, outside the pool, asks who holds a lock. With fewer connections some of these would wait, and could reach a timeout.
 */
export const connectionsOfRun = mostLoads + 4;
