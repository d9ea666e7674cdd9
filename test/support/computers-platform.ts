/** A simulated platform with computers; a test can replace its answers. */
import { day } from '../../src/model/day.ts';
import { Computers } from '../../src/simulator/computers.ts';
import { generatedDataset } from '../../src/simulator/dataset.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { type Choices, openPointsOf } from '../../src/simulator/open-points.ts';
import { type SimulatedRequest, startSimulator } from '../../src/simulator/server.ts';
import { apiKey } from './platform-access.ts';

/** Returns the fault of a request; undefined for its usual answer. Requests are numbered by method and path, from 1. */
export type Spoil = (asked: string, number: number, request: SimulatedRequest) => Fault | undefined;

/** Starts a platform without computers. Its `asked` are the requests so far, such as `POST /api/v0/computers`. Dispose of it. */
export async function startComputersPlatform(choices: Choices = {}, spoil: Spoil = () => undefined) {
  const asked: string[] = [];
  const clock = Date.now;
  const computers = new Computers({ seed: 1, clock, points: openPointsOf(choices) });
  const simulator = await startSimulator({
    dataset: generatedDataset(createGenerator({ seed: 1, users: 1, from: day('2026-01-14') })),
    organizationId: 'org_test',
    apiKeys: { [apiKey]: 'owner' },
    computers,
    choices,
    fault: (request) => {
      const line = `${request.method} ${decodeURIComponent(request.path)}`;
      asked.push(line);
      return spoil(line, asked.filter((each) => each === line).length, request);
    },
  });
  return {
    computers,
    asked: asked as readonly string[],
    url: new URL(simulator.url),
    requests: simulator.requests,
    [Symbol.asyncDispose]: () => simulator.close(),
  };
}
