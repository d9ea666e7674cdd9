/**
 * Measures the whole program against a platform without latency. Floors are a process that only fetches the pages, and
 * `\copy` of the rows.
 */
import type { DayRange } from '../src/model/day.ts';
import { type BenchContext, daysFrom, type Part } from './context.ts';
import { figuresOfSize, type Reread, type Round } from './end-to-end-figures.ts';
import { fetchAndParse } from './fetch-floor.ts';
import { type BenchPlatform, startPlatform } from './platform.ts';
import type { PlatformRequest } from './platform-messages.ts';
import { backfill, nightly } from './program.ts';
import type { BenchServer, BenchWarehouse } from './server.ts';
import type { NamedSize, Size } from './sizes.ts';
import {
  copyFloorName,
  copyTables,
  createFloorTables,
  type Dump,
  dumpStar,
  insertFacts,
} from './write-floors.ts';

/** A part of the benchmark: a first load of a size and re-reads, each as a whole process. */
export function endToEnd(part: string, { full, quick }: NamedSize): Part {
  return (context) =>
    // Autovacuum would add CPU and time at random, so it is off.
    context.server.withSetting('autovacuum', 'off', () =>
      measure(part, context.quick ? quick : full, context),
    );
}

/** Re-reads in a round: several, because one takes only a second or two, and a busy moment would distort it. */
const rereadsOfRound = 3;

/** The results of a load that is not measured: it fills the platform's cache of answers. */
interface Rehearsal {
  readonly dump: Dump;
  readonly firstRequests: readonly PlatformRequest[];
  readonly againRequests: readonly PlatformRequest[];
}

interface Setting {
  readonly server: BenchServer;
  readonly platform: BenchPlatform;
  readonly directory: string;
  readonly size: Size;
  readonly reading: { readonly days: DayRange; readonly endpoints?: readonly string[] };
}

async function measure(part: string, size: Size, { server, quick, directory, say }: BenchContext) {
  const { users, from, days, endpoints, modelsPerUser } = size;
  await using platform = await startPlatform({
    users,
    ...(modelsPerUser === undefined ? {} : { modelsPerUser }),
  });
  const reading = { days: daysFrom(from, days), ...(endpoints === undefined ? {} : { endpoints }) };
  const setting: Setting = { server, platform, directory, size, reading };
  say(`${part}: one load that is not measured makes the platform write all its answers`);
  const rehearsal = await rehearse(setting);
  const rounds: Round[] = [];
  while (rounds.length < (quick ? 1 : 5)) {
    say(`${part}: round ${rounds.length + 1}, ${rehearsal.dump.factRows.toLocaleString('en')} rows`);
    rounds.push(await measureRound(setting, rehearsal));
  }
  return figuresOfSize(part, rehearsal.dump.factRows, rounds, await copyFloorName());
}

async function rehearse({ server, platform, directory, reading }: Setting): Promise<Rehearsal> {
  await using warehouse = await server.createWarehouse();
  await backfill(platform, warehouse, reading);
  const firstRequests = await platform.requests();
  await nightly(platform, warehouse, reading);
  const againRequests = await platform.requests();
  const dump = await dumpStar(warehouse, directory);
  return { dump, firstRequests, againRequests };
}

async function measureRound(setting: Setting, rehearsal: Rehearsal): Promise<Round> {
  const { server, platform, directory, size, reading } = setting;
  const { dump } = rehearsal;
  const fetch = await fetchAndParse(platform, rehearsal.firstRequests, directory);
  const copy = await onFloorTables(server, dump, (floor) =>
    withServerCpu(server, async () => ({ ms: await copyTables(floor, dump) })),
  );

  await using warehouse = await server.createWarehouse();
  const first = await withServerCpu(server, () => backfill(platform, warehouse, reading));
  const { planned, loaded } = first.summary.slices;
  if (loaded !== planned || first.summary.rows.inserted !== dump.factRows)
    throw new Error(`expected all slices and ${dump.factRows} rows to be loaded, got ${first.stdout}`);
  const insertMs = size.inserts
    ? await onFloorTables(server, dump, (floor) => insertFacts(warehouse, floor, dump))
    : undefined;
  await warehouse.query('checkpoint');

  const rereads: Reread[] = [];
  while (rereads.length < rereadsOfRound) {
    const floor = await fetchAndParse(platform, rehearsal.againRequests, directory);
    const again = await withServerCpu(server, () => nightly(platform, warehouse, reading));
    if (again.summary.slices.unchanged !== planned || again.summary.slices.planned !== planned)
      throw new Error(`expected ${planned} slices to be read and none to have changed, got ${again.stdout}`);
    rereads.push({ fetch: floor, again });
  }
  return { fetch, copy, first, rereads, insertMs };
}

async function withServerCpu<T>(
  server: BenchServer,
  work: () => Promise<T>,
): Promise<T & { readonly serverCpuSeconds: number }> {
  const before = server.cpuSeconds();
  const result = await work();
  return { ...result, serverCpuSeconds: server.cpuSeconds() - before };
}

async function onFloorTables<T>(
  server: BenchServer,
  dump: Dump,
  work: (floor: BenchWarehouse) => Promise<T>,
): Promise<T> {
  await using floor = await server.createWarehouse();
  await createFloorTables(floor, dump);
  return await work(floor);
}
