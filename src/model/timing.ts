/** Waiting times in ms that no setting controls. Only tests change them. */
export interface Timing {
  /** Wait before the first retry of a request; doubles with each retry, up to the longest. */
  readonly firstBackoffMs: number;
  readonly longestBackoffMs: number;
  /** Waits before the retries after a lost database connection: together longer than a restart of the server. */
  readonly reconnectWaitsMs: readonly number[];
  /** Waits between checks whether the server has noticed a lost connection and released its locks. */
  readonly freedLockWaitsMs: readonly number[];
  /** Interval of the keep-alive query on the connection that holds the locks, and the time limit of this query. */
  readonly betweenBeatsMs: number;
  readonly longestSilenceMs: number;
  /** Our time limit of a statement is longer than the server's by so much, because the server's error says more. */
  readonly statementMarginMs: number;
  /** Shortest wait in the database that is logged. */
  readonly waitWorthTellingMs: number;
  /** An organization that has waited so long for an answer lets another one work. */
  readonly unansweredMs: number;
  /** Interval of the looks for workers that died. */
  readonly betweenQueueLooksMs: number;
  /** Time limit of one delivery attempt, and the wait between two. */
  readonly deliveryAttemptMs: number;
  readonly betweenDeliveriesMs: number;
  /** Interval of the attempts to record the end of a run after the database is gone. */
  readonly betweenRecordsMs: number;
  /** Time limit of a batch of traces, retries included. */
  readonly tracesDeliveryMs: number;
  /** Longest wait for the collector at the end of a job, and after a signal. */
  readonly tracesAtEndMs: number;
  readonly tracesAfterSignalMs: number;
}

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
  unansweredMs: 2_000,
  betweenQueueLooksMs: 10_000,
  deliveryAttemptMs: 5_000,
  betweenDeliveriesMs: 500,
  betweenRecordsMs: 5_000,
  tracesDeliveryMs: 5_000,
  tracesAtEndMs: 8_000,
  tracesAfterSignalMs: 2_000,
};
