import { expect, test } from 'vitest';
import { sources } from '../../src/endpoints/index.ts';
import { createRateBudget } from '../../src/extract/rate-budget.ts';
import { addDays, earliestDay } from '../../src/model/day.ts';
import { workThrough } from '../../src/pipeline/lanes.ts';
import type { PlannedRead } from '../../src/pipeline/plan.ts';

const maxConcurrency = 4;
const pageLanes = maxConcurrency + 1;

function reads(endpoint: string, count: number): PlannedRead[] {
  return sources
    .filter(({ name }) => name === endpoint)
    .flatMap((source) =>
      Array.from({ length: count }, (_, index) => ({ source, days: [addDays(earliestDay, index)] })),
    );
}

test('requests that hang leave half of what may be under way to the other endpoints', async () => {
  const { signal } = new AbortController();
  const budget = createRateBudget({ requestsPerSecond: 1000, maxConcurrency });
  const hanging: (() => void)[] = [];
  const othersDone = Promise.withResolvers<void>();
  let others = 0;
  let hangs = 0;
  const settling = Promise.withResolvers<void>();

  const finished = workThrough([...reads('users', 12), ...reads('tools', 20)], {
    pageLanes,
    windowDays: () => 7,
    signal,
    process: ({ source }) =>
      budget.run(async () => {
        if (source.name !== 'users') {
          others += 1;
          if (others === 20) othersDone.resolve();
          return true;
        }
        hangs += 1;
        await new Promise<void>((resolve) => {
          hanging.push(resolve);
          if (hangs === pageLanes) settling.resolve();
          // The first ones fail as soon as they are asked: that is how it is noticed.
          if (hangs < pageLanes) setImmediate(() => hanging.shift()?.());
        });
        return false;
      }, signal),
  });
  await settling.promise;
  // Not one more of the hanging requests ends from here on, and yet the others do.
  await othersDone.promise;
  expect(hanging.length).toBeLessThanOrEqual(maxConcurrency / 2);
  const untilNow = hangs;

  const endAll = setInterval(() => hanging.shift()?.(), 1);
  await finished;
  clearInterval(endAll);
  expect([hangs, others]).toEqual([12, 20]);
  console.log(`${untilNow} of 12 hanging requests were sent before the last of 20 others`);
});
