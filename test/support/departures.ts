/** Records when this process sent its requests: a rate budget controls that moment, and a slow machine does not change it. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Requests that were sent. */
export interface Departures {
  /** Milliseconds on the monotonic clock, in the order of departure. */
  readonly times: readonly number[];
  stop(): void;
}

/** undici publishes this in the same turn in which the budget releases the request. */
const channel = 'undici:request:create';

/** Watches every request of the process until `stop`. */
export function watchDepartures(): Departures {
  const times: number[] = [];
  const note = () => void times.push(performance.now());
  subscribe(channel, note);
  return { times, stop: () => void unsubscribe(channel, note) };
}

/** The most departures within any `spanMs`. */
export function mostWithin({ times }: Departures, spanMs: number): number {
  return Math.max(...times.map((end) => times.filter((at) => at <= end && at > end - spanMs).length));
}
