/** A whole simulated platform from a seed, for the commands `simulate` and `demo`. */
import { type Clock, systemClock } from '../model/clock.ts';
import { type Day, yesterday } from '../model/day.ts';
import type { Role } from './access.ts';
import { Computers, computersOf } from './computers.ts';
import { emptyDataset, generatedDataset } from './dataset.ts';
import { createGenerator } from './generate.ts';
import { type Choices, openPointsOf } from './open-points.ts';
import { openApiOf } from './openapi.ts';
import { operationsOf } from './operations.ts';
import { readinessReportsOf } from './readiness-reports.ts';
import { type Simulator, startSimulator } from './server.ts';
import { noSessions, sessionsOf } from './sessions.ts';
import { UserLimits } from './user-limits.ts';

export interface SeededSimulatorOptions {
  readonly seed: number;
  /** Final number of users: 0 to 1,000,000. */
  readonly users: number;
  /** The organization's first day. */
  readonly from: Day;
  /** The only accepted credential. */
  readonly apiKey: string;
  /** The role of this credential; default owner. */
  readonly role?: Role;
  /** Choices for points that the platform's documentation leaves open. */
  readonly choices?: Choices;
  readonly clock?: Clock;
  readonly latencyMs?: number;
  readonly port?: number;
}

/** Starts a simulator. Rejects with `RangeError` for an invalid seed or number of users, and when the port is taken. */
export async function simulatorFromSeed(options: SeededSimulatorOptions): Promise<Simulator> {
  const { seed, users, from, apiKey, role = 'owner', clock = systemClock, ...server } = options;
  const generator = createGenerator({ seed, users, from });
  const points = openPointsOf(server.choices);
  return await startSimulator({
    ...server,
    clock,
    dataset: generatedDataset(generator),
    computers: computersOf({ seed, clock, points }, from),
    reports: readinessReportsOf(seed, from, clock),
    sessions: sessionsOf({ seed, clock, points }, from),
    limits: new UserLimits((email) => generator.hasEmail(email, yesterday(clock))),
    organizationId: generator.organizationId,
    apiKeys: { [apiKey]: role },
    // Only tests look at the list of requests.
    recordRequests: false,
  });
}

/** The OpenAPI 3.1 description of the platform with these choices. Starts no server. */
export function openApi(choices: Choices = {}): Record<string, unknown> {
  const [points, clock] = [openPointsOf(choices), systemClock];
  const operations = operationsOf({
    dataset: emptyDataset,
    computers: new Computers({ seed: 0, clock, points }),
    reports: () => [],
    sessions: noSessions,
    limits: new UserLimits(() => false),
    organizationId: '',
    apiKeys: {},
    clock,
    points,
    cacheBytes: 0,
  });
  return openApiOf(operations.map(({ description }) => description));
}
