/** Measures how the peak memory of the program depends on long names, stored ones and new ones. */
import { type BenchContext, firstDays } from './context.ts';
import type { Figure, Floor } from './figures.ts';
import { startPlatform } from './platform.ts';
import { backfill, type Loaded, nightly } from './program.ts';

const megabyte = 1_000_000;
/** Length of a hook's command. */
const charactersOfCommand = 4_000;

/** Peak resident memory of nights in warehouses with many long names, and of answers with new long names. */
export async function measureNamesMemory(context: BenchContext, floor: Floor): Promise<Figure[]> {
  const figures: Figure[] = [];
  const users = context.quick ? 500 : 5_000;
  for (const hooks of context.quick ? [0, 10_000] : [0, 40_000, 100_000]) {
    context.say(`memory: a night of ${users} users beside ${hooks} hooks`);
    const held = `${hooks.toLocaleString('en')} hook commands of 4 kB held`;
    figures.push({
      ...peakFigure(
        `a night of ${users.toLocaleString('en')} users, ${held}`,
        await nightBesideHooks(context, users, hooks),
      ),
      floor,
      target: { of: 'value', better: 'lower', must: 250, aim: 150 },
    });
  }
  const days = context.quick ? 2 : 20;
  const perDay = 5_000;
  context.say(`memory: ${days} days with ${perDay} new hooks each`);
  figures.push({
    ...peakFigure(
      `${(days * perDay).toLocaleString('en')} new hook commands of 4 kB, ${days} answers`,
      await backfillHooks(context, perDay, days),
    ),
    floor,
    target: { of: 'value', better: 'lower', must: 450, aim: 250 },
  });
  return figures;
}

/** The row of the table with the peak memory of a load. */
export function peakFigure(name: string, { peakBytes, ms }: Loaded): Omit<Figure, 'floor' | 'target'> {
  return {
    part: 'memory',
    name: `peak RSS, ${name}`,
    value: peakBytes / megabyte,
    unit: 'MB',
    note: `${(ms / 1000).toFixed(1)} s`,
  };
}

/** A night that reads a week again, in a warehouse that holds `hooks` hooks with long commands. */
async function nightBesideHooks({ server }: BenchContext, users: number, hooks: number): Promise<Loaded> {
  await using platform = await startPlatform({ users, cacheBytes: 0 });
  await using warehouse = await server.createWarehouse();
  await warehouse.query(
    `insert into warehouse.dim_hook (event, matcher, command)
     select 'Stop', '', rpad('held ' || number || ' ', $1, md5(number::text)) from generate_series(1, $2::integer) as number`,
    [charactersOfCommand, hooks],
  );
  return await nightly(platform, warehouse, { days: firstDays(7) });
}

/** A backfill of `/tools` in which every day has new hooks. */
async function backfillHooks({ server }: BenchContext, perDay: number, days: number): Promise<Loaded> {
  const hooks = { perDay, characters: charactersOfCommand };
  await using platform = await startPlatform({ users: 100, cacheBytes: 0, hooks });
  await using warehouse = await server.createWarehouse();
  const ran = await backfill(platform, warehouse, { days: firstDays(days), endpoints: ['tools'] });
  const [held] = await warehouse.query('select count(*)::integer as hooks from warehouse.dim_hook');
  if (held?.hooks !== perDay * days) throw new Error(`expected ${perDay * days} hooks, got ${held?.hooks}`);
  return ran;
}
