/** A whole simulated platform from a seed: what the `simulate` and `demo` commands serve. */
import type { Clock } from '../model/clock.ts';
import type { Day } from '../model/day.ts';
import { generatedDataset } from './dataset.ts';
import { createGenerator } from './generate.ts';
import { type Simulator, startSimulator } from './server.ts';

export interface SeededSimulatorOptions {
  readonly seed: number;
  /** 0 to 1,000,000. */
  readonly users: number;
  /** The organization's first day. */
  readonly from: Day;
  /** The one credential that is accepted; it has the role of an owner. */
  readonly apiKey: string;
  readonly clock?: Clock;
  readonly latencyMs?: number;
  readonly port?: number;
}

/** Throws `RangeError` for a seed or number of users out of range; rejects when the port is taken. */
export async function simulatorFromSeed(options: SeededSimulatorOptions): Promise<Simulator> {
  const { seed, users, from, apiKey, ...server } = options;
  const generator = createGenerator({ seed, users, from });
  return await startSimulator({
    ...server,
    dataset: generatedDataset(generator),
    organizationId: generator.organizationId,
    apiKeys: { [apiKey]: 'owner' },
    // A server that stays up for long has no use for a list of its requests.
    recordRequests: false,
  });
}
