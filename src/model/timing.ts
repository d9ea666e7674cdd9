/** How long waits last that no setting names, in ms. They are the same for everybody: only tests give others. */
export interface Timing {
  /** Before a request is sent again for the first time; doubles with each further one, up to the longest. */
  readonly firstBackoffMs: number;
  readonly longestBackoffMs: number;
  /** Before each repetition of what lost its connection to the database: together longer than a restart of the server. */
  readonly reconnectWaitsMs: readonly number[];
  /** Before each further look whether the server has noticed that a connection is gone, and has freed its locks. */
  readonly freedLockWaitsMs: readonly number[];
  /** How often the connection with the locks is asked for a sign of life, and how long that may take. */
  readonly betweenBeatsMs: number;
  readonly longestSilenceMs: number;
  /** How much later than the server's own limit we give up a statement: the server has the better answer. */
  readonly statementMarginMs: number;
  /** A wait in the database of so long is worth a line in the log. */
  readonly waitWorthTellingMs: number;
  /** One attempt to deliver a message, and the time between two. */
  readonly deliveryAttemptMs: number;
  readonly betweenDeliveriesMs: number;
  /** How often it is tried to record the end of a run whose database went away. */
  readonly betweenRecordsMs: number;
  /** A batch of traces that is not taken in this time, retries included, is given up. */
  readonly tracesDeliveryMs: number;
  /** What a collector in trouble may cost at the end of a job, and where somebody waits for that end. */
  readonly tracesAtEndMs: number;
  readonly tracesAfterSignalMs: number;
}

/** What holds wherever nobody gives another one. */
export const defaultTiming: Timing = {
  // Six retries outlast a minute of refused connections.
  firstBackoffMs: 2_000,
  longestBackoffMs: 60_000,
  reconnectWaitsMs: [200, 500, 1_000, 2_000, 4_000, 4_000],
  freedLockWaitsMs: Array.from({ length: 10 }, () => 1_000),
  betweenBeatsMs: 10_000,
  longestSilenceMs: 30_000,
  statementMarginMs: 5_000,
  waitWorthTellingMs: 10_000,
  deliveryAttemptMs: 5_000,
  betweenDeliveriesMs: 500,
  betweenRecordsMs: 5_000,
  tracesDeliveryMs: 5_000,
  tracesAtEndMs: 8_000,
  tracesAfterSignalMs: 2_000,
};
