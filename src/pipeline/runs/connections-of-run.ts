/** How many connections to the database a run uses. */

/** Loads at the same time. A single load would mostly wait for the database. */
export const mostLoads = 4;

/**
 * The largest number of connections of a run: one for each load, and others that hold the locks, make dimension keys
 * and record failures. With fewer connections some of these would wait, and could reach a timeout.
 */
export const connectionsOfRun = mostLoads + 4;
