/** How long tests wait, where production code has times of its own. */
import { defaultTiming, type Timing } from '../../src/model/timing.ts';

/**
 * For a platform that answers at once, and a database that is there again at once: the first waits are short. Where one is
 * really away, as for a restart, it is waited for as long as ever.
 */
export const quickTiming: Timing = {
  ...defaultTiming,
  firstBackoffMs: defaultTiming.firstBackoffMs / 1000,
  longestBackoffMs: defaultTiming.longestBackoffMs / 1000,
  reconnectWaitsMs: [2, 20, ...defaultTiming.reconnectWaitsMs],
  freedLockWaitsMs: [5, 20, 100, ...defaultTiming.freedLockWaitsMs],
};

/** For what does not come back or never answers: it is given up soon. */
export const impatientTiming: Timing = {
  ...quickTiming,
  reconnectWaitsMs: [20],
  freedLockWaitsMs: [5, 20],
  betweenBeatsMs: 100,
  longestSilenceMs: 2_000,
  statementMarginMs: 1_000,
  waitWorthTellingMs: 500,
  deliveryAttemptMs: 500,
  betweenDeliveriesMs: 1,
  betweenRecordsMs: 100,
  tracesDeliveryMs: 500,
  tracesAtEndMs: 800,
  tracesAfterSignalMs: 200,
};
