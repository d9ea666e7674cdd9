/** How quickly rows that are in memory get into the warehouse: no HTTP, one endpoint, the loader that runs use. */

import type { Selectable } from 'kysely';
import PQueue from 'p-queue';
import type { Page } from '../src/extract/envelope.ts';
import type { Day } from '../src/model/day.ts';
import type { DailySource } from '../src/model/source.ts';
import { gatherSlice } from '../src/pipeline/gathered-slice.ts';
import { storeSlice } from '../src/pipeline/store-slice.ts';
import { sources } from '../src/sources/registry.ts';
import { openPool, withSession } from '../src/warehouse/connection/connection.ts';
import type { DB } from '../src/warehouse/database.generated.ts';
import { ensureDates, organizationKey } from '../src/warehouse/ledger/organization.ts';
import { openRun } from '../src/warehouse/ledger/run-ledger.ts';
import { ledgerKey, readLedger } from '../src/warehouse/ledger/slice-ledger.ts';
import { createKeyCache } from '../src/warehouse/load/dimension-keys.ts';
import { type BenchContext, firstDays, timed } from './context.ts';
import { type Figure, median } from './figures.ts';
import { copyFloorName, copyTables, createFloorTables, dumpTables } from './floors.ts';
import { generateInMemory, type InMemoryOrganization } from './in-memory-organization.ts';
import type { BenchWarehouse } from './server.ts';

/** Days that are stored at the same time: as many lanes as a run with `MAX_CONCURRENCY` 4 has. */
const lanes = 5;
/** Columns × rows stay below the 65,535 parameters that a statement may have. */
const rowsPerStatement = 1_000;

interface LoadOptions {
  readonly keepRaw: boolean;
  readonly skipUnchanged: boolean;
}

type Timings = Record<'first' | 'firstWithoutRaw' | 'skipped' | 'merged' | 'copy' | 'kysely', number[]>;

/** Rows per second into an empty warehouse and over unchanged data, beside `\copy` and plain inserts. */
export async function measureLoad({ server, quick, directory, say }: BenchContext): Promise<Figure[]> {
  const organization = generateInMemory(quick ? 400 : 6_000, firstDays(quick ? 30 : 150));
  const ms: Timings = { first: [], firstWithoutRaw: [], skipped: [], merged: [], copy: [], kysely: [] };
  for (let round = 1; round <= (quick ? 1 : 3); round++) {
    say(`load: round ${round}, ${organization.userDays} user-days`);
    const warehouse = await server.createWarehouse();
    ms.first.push(await load(warehouse, organization, { keepRaw: true, skipUnchanged: true }));
    ms.skipped.push(await load(warehouse, organization, { keepRaw: true, skipUnchanged: true }));
    ms.merged.push(await load(warehouse, organization, { keepRaw: true, skipUnchanged: false }));

    const plain = await server.createWarehouse();
    ms.firstWithoutRaw.push(await load(plain, organization, { keepRaw: false, skipUnchanged: true }));
    const dump = await dumpTables(plain, ['fact_user_daily', 'bridge_user_language_daily'], directory);
    await createFloorTables(plain, dump);
    ms.copy.push(await copyTables(plain, dump));

    const inserted = await server.createWarehouse();
    ms.kysely.push(await insertRows(plain, inserted));
    for (const each of [warehouse, plain, inserted]) await each.drop();
  }
  return figuresOf(ms, organization.userDays, await copyFloorName());
}

function figuresOf(ms: Timings, userDays: number, copyName: string): Figure[] {
  const seconds = (name: keyof Timings) => median(ms[name]) / 1000;
  const rate = (name: keyof Timings) =>
    `${Math.round(userDays / seconds(name)).toLocaleString('en')} user-days/s`;
  const shared = { part: 'load', unit: 's' } as const;
  const copy = { what: copyName, value: seconds('copy') };
  return [
    { ...shared, name: 'first load', value: seconds('first'), floor: copy, note: rate('first') },
    {
      ...shared,
      name: 'first load',
      value: seconds('first'),
      floor: { what: 'Kysely multi-row inserts', value: seconds('kysely') },
      target: { of: 'ratio', better: 'lower', must: 0.5, aim: 0.25 },
      note: `Kysely: ${rate('kysely')}, fact and bridge, without the raw answers`,
    },
    {
      ...shared,
      name: 'first load, no raw answers kept',
      value: seconds('firstWithoutRaw'),
      floor: copy,
      note: rate('firstWithoutRaw'),
    },
    {
      ...shared,
      name: 'unchanged, known by its hash',
      value: seconds('skipped'),
      floor: copy,
      note: rate('skipped'),
    },
    {
      ...shared,
      name: 'unchanged, compared row by row',
      value: seconds('merged'),
      floor: copy,
      note: rate('merged'),
    },
  ];
}

/** Stores every day as a run would; resolves with milliseconds. */
async function load(
  warehouse: BenchWarehouse,
  { pages }: InMemoryOrganization,
  { keepRaw, skipUnchanged }: LoadOptions,
): Promise<number> {
  await warehouse.query('checkpoint');
  const pool = openPool(warehouse.url, lanes);
  try {
    const source = usersSource();
    const days = [...pages.keys()];
    const { runId, orgKey, ledger } = await withSession(pool, async (session) => {
      const key = await organizationKey(session.db, 'org_bench');
      await ensureDates(session.db, '2026-01-01', '2027-12-31');
      return {
        orgKey: key,
        runId: await openRun(session, 'backfill', {}, 'bench'),
        ledger: await readLedger(session.db, key),
      };
    });
    const context = {
      pool,
      orgKey,
      runId,
      keyCache: createKeyCache(),
      settling: new PQueue({ concurrency: 1 }),
      yesterday: '',
      allowEmpty: false,
      skipUnchanged,
      replacesArchive: true,
      maxRejectedShare: 0.2,
      signal: new AbortController().signal,
    };
    const storeDay = async (day: Day, ofDay: readonly Page[]) => {
      const gathered = gatherSlice(source, day, { appVersion: 'bench', keepRaw });
      for (const page of ofDay) gathered.addPage(page);
      await storeSlice(context, gathered, ledger.get(ledgerKey(source.name, day)));
    };
    const lane = async () => {
      for (let day = days.pop(); day !== undefined; day = days.pop())
        await storeDay(day, pages.get(day) ?? []);
    };
    const { ms } = await timed(() => Promise.all(Array.from({ length: lanes }, lane)));
    return ms;
  } finally {
    await pool.end();
  }
}

function usersSource(): DailySource {
  const source = sources.find(({ slicing }) => slicing.reading === 'pages');
  if (source === undefined) throw new TypeError('expected an endpoint that is read by pages');
  return source;
}

/** Inserts the rows of one warehouse into the same tables of another, as an ORM's user would; resolves with milliseconds. */
async function insertRows(from: BenchWarehouse, to: BenchWarehouse): Promise<number> {
  const [readPool, writePool] = [openPool(from.url, 1), openPool(to.url, 1)];
  try {
    const { facts, languages } = await withSession(readPool, async ({ db }) => ({
      facts: await db.selectFrom('warehouse.fact_user_daily').selectAll().execute(),
      languages: await db.selectFrom('warehouse.bridge_user_language_daily').selectAll().execute(),
    }));
    await to.query('checkpoint');
    const { ms } = await withSession(writePool, ({ db }) =>
      timed(async () => {
        for (const rows of statementsOf<Selectable<DB['warehouse.fact_user_daily']>>(facts))
          await db.insertInto('warehouse.fact_user_daily').values(rows).execute();
        for (const rows of statementsOf(languages))
          await db.insertInto('warehouse.bridge_user_language_daily').values(rows).execute();
      }),
    );
    return ms;
  } finally {
    await readPool.end();
    await writePool.end();
  }
}

function* statementsOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += rowsPerStatement)
    yield rows.slice(start, start + rowsPerStatement);
}
