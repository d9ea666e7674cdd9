/** The least that reading and writing cost: the same pages fetched and parsed, the same rows copied by `psql`. */

import { createReadStream, createWriteStream } from 'node:fs';
import { access, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import { flattenOf } from '../src/flatten/flatten.ts';
import type { DayRange } from '../src/model/day.ts';
import { planBackfill } from '../src/pipeline/plan.ts';
import { sources } from '../src/sources/registry.ts';
import type { BenchPlatform } from './platform.ts';
import { type Ran, run } from './program.ts';
import type { BenchWarehouse } from './server.ts';

const fetchProgram = fileURLToPath(new URL('./fetch-and-parse.ts', import.meta.url));
/** Defaults of the program. */
const [windowDays, pageSize, concurrency] = [7, 100, 4];
const fetched = z.object({ requests: z.number(), bytes: z.number(), rows: z.number() });

/** All tables that a backfill fills. */
export const factTables: readonly string[] = sources.flatMap((source) =>
  flattenOf(source).tables.map(({ name }) => name),
);

/** A process that asks for what a backfill of `days` asks for, and parses it. */
export async function fetchAndParse(
  platform: BenchPlatform,
  days: DayRange,
  directory: string,
): Promise<Ran & z.infer<typeof fetched>> {
  const plan = planBackfill(sources, days, new Map(), { force: true, windowDays });
  const reads = plan.map(({ source, days: asked }) => [
    source.path,
    asked[0],
    asked.at(-1),
    source.slicing.reading === 'pages' ? pageSize : null,
  ]);
  const file = join(directory, 'reads.json');
  await writeFile(file, JSON.stringify(reads));
  const ran = await run(process.execPath, [
    fetchProgram,
    platform.url,
    platform.apiKey,
    file,
    String(concurrency),
  ]);
  return { ...ran, ...fetched.parse(JSON.parse(ran.stdout)) };
}

/** Where the rows of a table lie, as `COPY` writes them. */
interface TableFile {
  readonly table: string;
  readonly file: string;
}

/** Rows ready to be copied. */
export interface Dump {
  readonly tables: readonly TableFile[];
  readonly bytes: number;
}

/** Writes the rows of the tables into files, in the order in which the tables hold them. */
export async function dumpTables(
  warehouse: BenchWarehouse,
  names: readonly string[],
  directory: string,
): Promise<Dump> {
  const client = new pg.Client({ connectionString: warehouse.url });
  await client.connect();
  try {
    const tables: TableFile[] = [];
    let bytes = 0;
    for (const table of names) {
      const file = join(directory, `${table}.copy`);
      await pipeline(client.query(copyTo(`copy warehouse.${table} to stdout`)), createWriteStream(file));
      tables.push({ table, file });
      bytes += (await stat(file)).size;
    }
    return { tables, bytes };
  } finally {
    await client.end();
  }
}

/** Makes empty tables with the same columns and the same primary keys in the schema `floor`. */
export async function createFloorTables(warehouse: BenchWarehouse, { tables }: Dump): Promise<void> {
  const statements = tables.map(
    ({ table }) =>
      `create table floor.${table} (like warehouse.${table} including defaults including indexes)`,
  );
  await warehouse.query(['create schema floor', ...statements, 'checkpoint'].join(';'));
}

/** Copies a dump into the floor's tables, in one process of `psql`, its start included. Resolves with milliseconds. */
export async function copyTables(warehouse: BenchWarehouse, { tables }: Dump): Promise<number> {
  const psql = await findPsql();
  if (psql === undefined) return copyWithoutPsql(warehouse, tables);
  const commands = tables.flatMap(({ table, file }) => ['-c', `\\copy floor.${table} from '${file}'`]);
  const { ms } = await run(psql, ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...commands, warehouse.url]);
  return ms;
}

/** The name of the floor of writing, for the table of figures. */
export async function copyFloorName(): Promise<string> {
  return (await findPsql()) === undefined ? 'COPY (no psql here: pg-copy-streams)' : 'psql \\copy';
}

async function copyWithoutPsql(warehouse: BenchWarehouse, tables: readonly TableFile[]): Promise<number> {
  const start = performance.now();
  const client = new pg.Client({ connectionString: warehouse.url });
  await client.connect();
  for (const { table, file } of tables)
    await pipeline(createReadStream(file), client.query(copyFrom(`copy floor.${table} from stdin`)));
  await client.end();
  return performance.now() - start;
}

/**
 * The newest `psql` of a Debian-like system, else the first in `PATH`; undefined when there is none. What such a
 * system has in `PATH` is a script that looks for the former, and takes longer than copying a small table.
 */
async function findPsql(): Promise<string | undefined> {
  const debian = '/usr/lib/postgresql';
  const versions = (await readdir(debian).catch(() => [])).sort((a, b) => Number(b) - Number(a));
  const candidates = [
    ...versions.map((version) => join(debian, version, 'bin', 'psql')),
    ...(process.env.PATH ?? '').split(':').map((directory) => join(directory, 'psql')),
  ];
  for (const candidate of candidates)
    if (
      await access(candidate).then(
        () => true,
        () => false,
      )
    )
      return candidate;
  return undefined;
}
