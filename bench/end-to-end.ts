/** The whole program over a platform without latency, beside a process that only fetches, and `\copy`. */
import { type BenchContext, firstDays } from './context.ts';
import { type Figure, median } from './figures.ts';
import {
  copyFloorName,
  copyTables,
  createFloorTables,
  dumpTables,
  factTables,
  fetchAndParse,
} from './floors.ts';
import { startPlatform } from './platform.ts';
import { backfill, countUserDays } from './program.ts';

type Seconds = Record<'first' | 'again' | 'fetch' | 'copy', number[]>;

/** A first load of everything and a second reading of the same, all processes from start to end. */
export async function measureEndToEnd(context: BenchContext): Promise<Figure[]> {
  const { server, quick, directory, say } = context;
  const platform = await startPlatform({ users: quick ? 400 : 6_000 });
  const days = firstDays(quick ? 30 : 150);
  const seconds: Seconds = { first: [], again: [], fetch: [], copy: [] };
  try {
    say('end-to-end: one load that is not measured makes the platform write all its answers');
    const rehearsal = await server.createWarehouse();
    await backfill(platform, rehearsal, days);
    const userDays = await countUserDays(rehearsal);
    const dump = await dumpTables(rehearsal, factTables, directory);
    await rehearsal.drop();
    let requests = 0;
    let rows = 0;
    for (let round = 1; round <= (quick ? 1 : 3); round++) {
      say(`end-to-end: round ${round}, ${userDays} user-days`);
      const fetching = await fetchAndParse(platform, days, directory);
      seconds.fetch.push(fetching.ms / 1000);
      requests = fetching.requests;

      const copied = await server.createWarehouse();
      await createFloorTables(copied, dump);
      seconds.copy.push((await copyTables(copied, dump)) / 1000);
      await copied.drop();

      const warehouse = await server.createWarehouse();
      const first = await backfill(platform, warehouse, days);
      seconds.first.push(first.ms / 1000);
      rows = first.summary.rows.inserted;
      await warehouse.query('checkpoint');
      const again = await backfill(platform, warehouse, days, { options: ['--force'] });
      if (again.summary.slices.unchanged !== again.summary.slices.planned)
        throw new Error(`expected nothing to have changed, got ${again.stdout}`);
      seconds.again.push(again.ms / 1000);
      await warehouse.drop();
    }
    return figuresOf(seconds, { userDays, requests, rows, copyName: await copyFloorName() });
  } finally {
    await platform.stop();
  }
}

function figuresOf(
  seconds: Seconds,
  sizes: { userDays: number; requests: number; rows: number; copyName: string },
): Figure[] {
  const [first, again] = [median(seconds.first), median(seconds.again)];
  const [fetch, copy] = [median(seconds.fetch), median(seconds.copy)];
  const shared = { part: 'end-to-end', unit: 's' } as const;
  const inWords = (count: number) => count.toLocaleString('en');
  return [
    {
      ...shared,
      name: 'floor: fetch and parse',
      value: fetch,
      note: `${inWords(sizes.requests)} requests, ${inWords(Math.round(sizes.requests / fetch))}/s`,
    },
    { ...shared, name: `floor: ${sizes.copyName}`, value: copy, note: `${inWords(sizes.rows)} rows` },
    {
      ...shared,
      name: 'first load',
      value: first,
      floor: { what: 'fetch, parse, copy', value: fetch + copy },
      target: { of: 'ratio', better: 'lower', must: 2, aim: 1.3 },
      note: `${inWords(sizes.userDays)} user-days, ${inWords(Math.round(sizes.rows / first))} rows/s`,
    },
    {
      ...shared,
      name: 'unchanged re-read',
      value: again,
      floor: { what: 'fetch and parse', value: fetch },
      target: { of: 'ratio', better: 'lower', must: 1.3, aim: 1.1 },
    },
  ];
}
