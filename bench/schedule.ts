/**
 * Measures which share of its rate budget the program uses against a platform with latency, and whether it ever exceeds
 * the budget.
 */
import { type BenchContext, firstDays } from './context.ts';
import type { Figure } from './figures.ts';
import { startPlatform } from './platform.ts';
import { backfill } from './program.ts';

const latencyMs = 80;
const requestsPerSecond = 20;

/** The used share of the budget, and the second with the most arrivals. */
export async function measureSchedule({ server, quick, say }: BenchContext): Promise<Figure[]> {
  // Each day is one page of users: 310 days are about 490 requests, 25 seconds.
  await using platform = await startPlatform({ users: 100, latencyMs });
  await using warehouse = await server.createWarehouse();
  say('schedule: a run at 20 requests/s');
  await backfill(platform, warehouse, {
    days: firstDays(quick ? 100 : 310),
    environment: { REQUESTS_PER_SECOND: String(requestsPerSecond) },
  });
  const arrivals = (await platform.requests()).map(({ at }) => at);
  const steady = steadyRate(arrivals);
  return [
    {
      part: 'schedule',
      name: `share of the budget, ${latencyMs} ms latency`,
      value: (steady.perSecond / requestsPerSecond) * 100,
      unit: '%',
      target: { of: 'value', better: 'higher', must: 90, aim: 97 },
      note: `${steady.seconds.toFixed(1)} s of steady work at ${requestsPerSecond}/s, 4 at once`,
    },
    {
      part: 'schedule',
      name: 'worst second',
      value: mostInAnySecond(arrivals),
      unit: 'requests',
      target: { of: 'value', better: 'lower', must: requestsPerSecond, aim: requestsPerSecond },
      note: `of ${arrivals.length}, as they arrive`,
    },
  ];
}

/**
 * The rate of requests without those of the first and the last second. It is measured over whole seconds of the budget,
 * so that bursts and pauses within a second do not matter.
 */
function steadyRate(arrivals: readonly number[]): { perSecond: number; seconds: number } {
  const first = requestsPerSecond;
  const cycles = Math.floor((arrivals.length - 1 - 2 * requestsPerSecond) / requestsPerSecond);
  const [from, to] = [arrivals[first], arrivals[first + cycles * requestsPerSecond]];
  if (from === undefined || to === undefined || cycles < 1)
    throw new RangeError(`expected some seconds of requests, got ${arrivals.length} requests`);
  const seconds = (to - from) / 1000;
  return { perSecond: (cycles * requestsPerSecond) / seconds, seconds };
}

/** The most arrivals within any 1,000 ms. */
function mostInAnySecond(arrivals: readonly number[]): number {
  const sorted = arrivals.toSorted((a, b) => a - b);
  let most = 0;
  let oldest = 0;
  sorted.forEach((at, newest) => {
    while (at - (sorted[oldest] ?? at) >= 1000) oldest += 1;
    most = Math.max(most, newest - oldest + 1);
  });
  return most;
}
