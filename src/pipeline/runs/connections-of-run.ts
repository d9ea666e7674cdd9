/** How many connections to the database a run uses. */

/** Loads at once: one alone would mostly wait for the database. */
export const mostLoads = 4;

/**
 * Connections that a run uses at most: one for each load, and those that hold the locks, make dimension keys and record
 * failures. With fewer, some would wait, and might wait too long.
 */
export const connectionsOfRun = mostLoads + 4;
