/** What time it is, in milliseconds since 1970 UTC. Passed in, so that tests can stand at any moment. */
export type Clock = () => number;

/** The clock of the machine. */
export const systemClock: Clock = () => Date.now();
