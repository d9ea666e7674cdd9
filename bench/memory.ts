/** Measures how the peak memory of the program depends on the number of rows and on the length of names. */
import { earliestDay } from '../src/model/day.ts';
import { type BenchContext, firstDays } from './context.ts';
import type { Figure } from './figures.ts';
import { measureNamesMemory, peakFigure } from './names-memory.ts';
import { startPlatform } from './platform.ts';
import { backfill, countUserDays, type Loaded, run } from './program.ts';

const megabyte = 1_000_000;
/** The platform needs no cache: each answer is requested once. */
const cacheBytes = 0;

/**
 * Peak resident memory of backfills of growing size, of one day with a million users, of nights in warehouses with many
 * long names, and of answers with new long names.
 */
export async function measureMemory(context: BenchContext): Promise<Figure[]> {
  const bare = await run(process.execPath, ['-e', 'setTimeout(() => {}, 100)']);
  const floor = { what: 'bare Node', value: bare.peakBytes / megabyte };
  const figures: Figure[] = [];
  for (const [users, days] of sizesOf(context.quick)) {
    context.say(`memory: ${users} users, ${days} days`);
    const { ran, userDays } = await backfillOnce(context, users, days);
    figures.push({
      ...peakFigure(`${userDays.toLocaleString('en')} user-days`, ran),
      floor,
      target: { of: 'value', better: 'lower', must: 250, aim: 150 },
    });
  }
  const crowd = context.quick ? 50_000 : 1_000_000;
  context.say(`memory: one day of ${crowd} users`);
  figures.push({
    ...peakFigure(`one day of ${crowd.toLocaleString('en')} users`, await backfillCrowd(context, crowd)),
    floor,
    target: { of: 'value', better: 'lower', must: 250, aim: 150 },
  });
  return [...figures, ...(await measureNamesMemory(context, floor))];
}

/** Numbers of users and days; on a day more than a quarter of the users are active. */
function sizesOf(quick: boolean): readonly [users: number, days: number][] {
  return quick
    ? [
        [100, 30],
        [1_000, 30],
      ]
    : [
        [120, 300],
        [1_200, 300],
        [12_000, 300],
      ];
}

async function backfillOnce({ server }: BenchContext, users: number, days: number) {
  await using platform = await startPlatform({ users, cacheBytes });
  await using warehouse = await server.createWarehouse();
  const ran = await backfill(platform, warehouse, { days: firstDays(days) });
  return { ran, userDays: await countUserDays(warehouse) };
}

/** Loads a day with very many users. Only of `/users`: other endpoints have no pages, and one answer would be too large. */
async function backfillCrowd({ server }: BenchContext, users: number): Promise<Loaded> {
  await using platform = await startPlatform({ users: 200, cacheBytes, crowd: { day: earliestDay, users } });
  await using warehouse = await server.createWarehouse();
  const ran = await backfill(platform, warehouse, { days: firstDays(1), endpoints: ['users'] });
  const stored = await countUserDays(warehouse);
  if (stored !== users) throw new Error(`expected ${users} users in the warehouse, got ${stored}`);
  return ran;
}
