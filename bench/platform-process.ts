/**
 * The simulated platform as a process of its own, so that its cost is not measured. Its options are the first argument;
 * it receives orders and sends answers as messages between processes.
 */
import { z } from 'zod';
import { type Day, daysOf, earliestDay, day as readDay } from '../src/model/day.ts';
import { type Dataset, generatedDataset, OverridableDataset } from '../src/simulator/dataset.ts';
import { createGenerator } from '../src/simulator/generate.ts';
import { startSimulator } from '../src/simulator/server.ts';
import { type PlatformAnswer, platformOptions, platformOrder } from './platform-messages.ts';
import { withCrowd, withManyModels, withNewHooks } from './unusual-organizations.ts';

const options = platformOptions.parse(JSON.parse(process.argv[2] ?? ''));
const generator = createGenerator({ seed: 1, users: options.users, from: earliestDay });
const dataset = new OverridableDataset(organization());
const simulator = await startSimulator({
  dataset,
  organizationId: generator.organizationId,
  apiKeys: { [options.apiKey]: 'owner' },
  latencyMs: options.latencyMs,
  cacheBytes: options.cacheBytes,
});
let requestsTold = 0;

process.on('message', (message) => {
  const order = platformOrder.parse(message);
  if (order.type === 'restate')
    answer({ type: 'restated', rows: restate(readDay(order.from), readDay(order.to), order.everyNth) });
  else answer({ type: 'requests', requests: newRequests() });
});
process.on('disconnect', () => process.exit());
answer({ type: 'listening', url: simulator.url });

function answer(message: PlatformAnswer): void {
  process.send?.(message);
}

function organization(): Dataset {
  const { crowd, modelsPerUser, hooks } = options;
  const generated = generatedDataset(generator);
  if (crowd !== undefined) return withCrowd(generated, readDay(crowd.day), crowd.users);
  if (hooks !== undefined) return withNewHooks(generated, hooks.perDay, hooks.characters);
  return modelsPerUser === undefined ? generated : withManyModels(generated, modelsPerUser);
}

function newRequests() {
  const requests = simulator.requests
    .slice(requestsTold)
    .map(({ at, path, query }) => ({ at, target: `${path}?${new URLSearchParams(query)}` }));
  requestsTold += requests.length;
  return requests;
}

const counted = z.looseObject({ tool_calls: z.number() });

/** Changes one figure of every n-th user-day of the range; returns the number of changed rows. */
function restate(from: Day, to: Day, everyNth: number): number {
  let seen = 0;
  let restated = 0;
  for (const day of daysOf({ from, to })) {
    const rows = dataset.rows('users', day).map((row) => {
      seen += 1;
      if (seen % everyNth !== 0) return row;
      restated += 1;
      const known = counted.parse(row);
      return { ...known, tool_calls: known.tool_calls + 1 };
    });
    dataset.overrideRows('users', day, rows);
  }
  return restated;
}
