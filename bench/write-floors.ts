/** The floors of writing: `psql` copies the same rows, and an ORM inserts them. */

import { createReadStream, createWriteStream } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { ownNamesOnly } from '../tools/search-path.ts';
import { timed } from './context.ts';
import { run } from './program.ts';
import type { BenchWarehouse } from './server.ts';

/** Rows of one insert: with all columns they must stay below 65,535 parameters, the most that a statement may have. */
const rowsPerStatement = 1_000;

/** A file with the rows of a table, in the format of `COPY`. */
interface TableFile {
  readonly table: string;
  readonly file: string;
  readonly rows: number;
}

/** Files with all rows of the star schema; tables without rows have none. */
export interface Dump {
  readonly dimensions: readonly TableFile[];
  readonly facts: readonly TableFile[];
  /** Number of fact rows, bridges included. */
  readonly factRows: number;
}

/** Writes all rows of the star schema to files, in the order in which they are stored. */
export async function dumpStar(warehouse: BenchWarehouse, directory: string): Promise<Dump> {
  const dimensions = await dumpTables(warehouse, '^dim_', directory);
  const facts = await dumpTables(warehouse, '^(fact|bridge)_', directory);
  return { dimensions, facts, factRows: facts.reduce((sum, { rows }) => sum + rows, 0) };
}

async function dumpTables(warehouse: BenchWarehouse, names: string, directory: string): Promise<TableFile[]> {
  const found = await warehouse.query(
    `select relname from pg_class
     where relnamespace = 'warehouse'::regnamespace and relkind = 'r' and relname ~ $1
     order by relname`,
    [names],
  );
  return warehouse.session(async (client) => {
    const tables: TableFile[] = [];
    for (const table of found.map(({ relname }) => String(relname))) {
      const file = join(directory, `${table}.copy`);
      const copy = client.query(copyTo(`copy warehouse.${table} to stdout`));
      await pipeline(copy, createWriteStream(file));
      if (copy.rowCount > 0) tables.push({ table, file, rows: copy.rowCount });
    }
    return tables;
  });
}

/** Creates empty tables with the same columns and keys in the schema `floor`. */
export async function createFloorTables(warehouse: BenchWarehouse, dump: Dump): Promise<void> {
  const statements = [...dump.dimensions, ...dump.facts].map(
    ({ table }) =>
      `create table floor.${table}
         (like warehouse.${table} including defaults including generated including indexes)`,
  );
  await warehouse.query(['create schema floor', ...statements, 'checkpoint'].join(';'));
}

/** Copies a dump into the floor's tables. Resolves with the milliseconds of the `psql` process, its start included. */
export async function copyTables(warehouse: BenchWarehouse, dump: Dump): Promise<number> {
  const tables = [...dump.dimensions, ...dump.facts];
  const psql = await findPsql();
  if (psql === undefined) return copyWithoutPsql(warehouse, tables);
  const commands = tables.flatMap(({ table, file }) => ['-c', `\\copy floor.${table} from '${file}'`]);
  const { ms } = await run(psql, ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...commands, warehouse.url]);
  return ms;
}

/** The name of the program that `copyTables` uses, for the table of figures. */
export async function copyFloorName(): Promise<string> {
  return (await findPsql()) === undefined ? 'COPY (no psql here: pg-copy-streams)' : 'psql \\copy';
}

async function copyWithoutPsql(warehouse: BenchWarehouse, tables: readonly TableFile[]): Promise<number> {
  const { ms } = await timed(() =>
    warehouse.session(async (client) => {
      for (const { table, file } of tables)
        await pipeline(createReadStream(file), client.query(copyFrom(`copy floor.${table} from stdin`)));
    }),
  );
  return ms;
}

/**
 * Reads the facts of a dump from `source` and inserts them into the floor's tables of `target` with Kysely, many rows per
 * statement, one statement after another. Resolves with the milliseconds of the inserts.
 */
export async function insertFacts(
  source: BenchWarehouse,
  target: BenchWarehouse,
  { facts }: Dump,
): Promise<number> {
  const pool = new pg.Pool({ ...ownNamesOnly, connectionString: target.url, max: 1 });
  // Dropping the database breaks a connection that is still closing, which is no error.
  pool.on('error', () => undefined);
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: new PostgresDialect({ pool }) });
  try {
    let total = 0;
    for (const { table } of facts) {
      const rows = await source.query(`select * from warehouse.${table}`);
      const { ms } = await timed(async () => {
        for (let start = 0; start < rows.length; start += rowsPerStatement)
          await db
            .insertInto(`floor.${table}`)
            .values(rows.slice(start, start + rowsPerStatement))
            .execute();
      });
      total += ms;
    }
    return total;
  } finally {
    await db.destroy();
  }
}

/**
 * The path of `psql`: on a system like Debian that of the newest version, else the first in `PATH`; undefined if there is
 * none. Debian's `psql` in `PATH` is a script that takes longer than copying a small table.
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
