/** Returns the time in milliseconds since 1970 UTC. Passed as a parameter, so that tests can set it. */
export type Clock = () => number;

/** The clock of the machine. */
export const systemClock: Clock = () => Date.now();
