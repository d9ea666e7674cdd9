/**
 * The simulated platform as a process of its own, so that what it costs is not counted. Its options come as the
 * first argument, orders and answers as messages between the processes.
 */
import { z } from 'zod';
import { type Day, daysOf, earliestDay, day as readDay } from '../src/model/day.ts';
import { type Dataset, generatedDataset, OverridableDataset, userIdOf } from '../src/simulator/dataset.ts';
import { createGenerator } from '../src/simulator/generate.ts';
import { startSimulator } from '../src/simulator/server.ts';
import { platformOptions, platformOrder } from './platform-messages.ts';

const options = platformOptions.parse(JSON.parse(process.argv[2] ?? ''));
const generator = createGenerator({ seed: 1, users: options.users, from: earliestDay });
const generated = generatedDataset(generator);
const { crowd } = options;
const dataset = new OverridableDataset(
  crowd === undefined ? generated : withCrowd(generated, readDay(crowd.day), crowd.users),
);
const simulator = await startSimulator({
  dataset,
  organizationId: generator.organizationId,
  apiKeys: { [options.apiKey]: 'owner' },
  latencyMs: options.latencyMs,
  cacheBytes: options.cacheBytes,
});

process.on('message', (message) => {
  const order = platformOrder.parse(message);
  if (order.type === 'restate')
    answer({ type: 'restated', rows: restate(readDay(order.from), readDay(order.to), order.everyNth) });
  else answer({ type: 'arrivals', at: simulator.requests.map(({ at }) => at) });
});
process.on('disconnect', () => process.exit());
answer({ type: 'listening', url: simulator.url });

function answer(message: object): void {
  process.send?.(message);
}

const counted = z.looseObject({ tool_calls: z.number() });

/** Corrects one figure of every n-th user-day, spread over all days of the range; returns how many that were. */
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

/**
 * On `crowdedDay` the organization has `users` active users, far more than the generator has: rows of generated
 * users, each under many ids. The other endpoints and days are as generated.
 */
function withCrowd(base: Dataset, crowdedDay: Day, users: number): Dataset {
  const models = base.rows('users', crowdedDay).map((row) => z.looseObject({}).parse(row));
  const prefix = 'user_';
  function* crowdAfter(cursor: string | undefined): Iterable<unknown> {
    const first = cursor === undefined ? 0 : Number(userIdOf({ user_id: cursor }).slice(prefix.length)) + 1;
    for (let user = first; user < users; user++)
      yield {
        ...models[user % models.length],
        user_id: `${prefix}${String(user).padStart(9, '0')}`,
        user_email: `user.${user}@example.com`,
      };
  }
  return {
    version: base.version,
    rows: (endpoint, day) => base.rows(endpoint, day),
    groupedRows: (endpoint, day) => base.groupedRows(endpoint, day),
    usersAfter: (day, cursor) => (day === crowdedDay ? crowdAfter(cursor) : base.usersAfter(day, cursor)),
  };
}
