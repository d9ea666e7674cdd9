import { expect, test } from 'vitest';
import { createRateBudget } from '../../src/extract/rate-budget.ts';
import { addDays, earliestDay } from '../../src/model/day.ts';
import { type Read, readOf } from '../../src/model/source.ts';
import { workThrough } from '../../src/pipeline/receive/lanes.ts';
import { dailySources as sources } from '../../src/sources/registry.ts';

const maxConcurrency = 4;
const pageLanes = maxConcurrency + 1;

function reads(endpoint: string, count: number): Read[] {
  return sources
    .filter(({ name }) => name === endpoint)
    .flatMap((source) =>
      Array.from({ length: count }, (_, index) => [addDays(earliestDay, index)]).flatMap(
        (days) => readOf(source, days) ?? [],
      ),
    );
}

test('requests that hang leave half of what may be under way to the other endpoints', async () => {
  const { signal } = new AbortController();
  const budget = createRateBudget({ requestsPerSecond: 1000, maxConcurrency });
  const hanging: (() => void)[] = [];
  const othersDone = Promise.withResolvers<void>();
  let others = 0;
  let hangs = 0;

  const finished = workThrough([...reads('users', 16), ...reads('tools', 30)], {
    pageLanes,
    windowDays: () => 7,
    signal,
    process: ({ source }) =>
      budget.run(async () => {
        if (source.name !== 'users') {
          // As long as an answer that is there: all of them at once would be no test.
          await new Promise(setImmediate);
          others += 1;
          if (others === 30) othersDone.resolve();
          return true;
        }
        hangs += 1;
        await new Promise<void>((resolve) => {
          hanging.push(resolve);
          // The first ones fail at once: with three failures it is noticed, and what the lanes had then is done.
          if (hangs <= 2 * pageLanes) setImmediate(() => hanging.shift()?.());
        });
        return false;
      }, signal),
  });
  // None of the later ones ends meanwhile.
  await othersDone.promise;
  expect(hanging.length).toBeLessThanOrEqual(maxConcurrency / 2);
  const untilNow = hangs;

  const endAll = setInterval(() => hanging.shift()?.(), 1);
  await finished;
  clearInterval(endAll);
  expect([hangs, others]).toEqual([16, 30]);
  console.log(`${untilNow} of 16 hanging requests were sent before the last of 30 others`);
});
