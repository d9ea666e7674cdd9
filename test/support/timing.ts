/** Waiting times for tests, instead of those of production. */
import { defaultTiming, type Timing } from '../../src/model/timing.ts';

/**
 * For tests in which platform and database recover at once: the first waits are short. If one of them is down for longer,
 * as during a restart, the program waits as long as in production.
 */
export const quickTiming: Timing = {
  ...defaultTiming,
  firstBackoffMs: defaultTiming.firstBackoffMs / 1000,
  longestBackoffMs: defaultTiming.longestBackoffMs / 1000,
  reconnectWaitsMs: [2, 20, ...defaultTiming.reconnectWaitsMs],
  freedLockWaitsMs: [5, 20, 100, ...defaultTiming.freedLockWaitsMs],
};

/** For tests with servers that do not come back or never answer: the program gives up soon. */
export const impatientTiming: Timing = {
  ...quickTiming,
  reconnectWaitsMs: [20],
  freedLockWaitsMs: [5, 20],
  betweenBeatsMs: 100,
  longestSilenceMs: 2_000,
  statementMarginMs: 1_000,
  waitWorthTellingMs: 500,
  betweenQueueLooksMs: 200,
  deliveryAttemptMs: 500,
  betweenDeliveriesMs: 1,
  betweenRecordsMs: 100,
  tracesDeliveryMs: 500,
  tracesAtEndMs: 800,
  tracesAfterSignalMs: 200,
};
