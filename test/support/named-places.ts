/** Finds every place that contains a name: rows, archived records, statistics of the planner, files. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { openChunk } from '../../src/model/record-chunk.ts';

/** The places that contain one of `names`, in upper or lower case. */
export async function placesOf(
  pool: pg.Pool,
  names: readonly string[],
  directory?: string,
): Promise<string[]> {
  const isNamed = (text: string) => names.some((name) => text.toLowerCase().includes(name.toLowerCase()));
  const found: string[] = [];
  const note = (place: string, text: string) => {
    if (isNamed(text)) found.push(`${place}: ${text.slice(0, 500)}`);
  };
  const { rows: tables } = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
    where relkind in ('r', 'm', 'v') and relnamespace in (
      select oid from pg_namespace where nspname in ('warehouse', 'bi', 'bi_people', 'etl', 'etl_queue')
    )`,
  );
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} as t`);
    for (const { row } of rows) note(name, row);
  }
  const { rows: chunks } = await pool.query<{ payload: Buffer; slice: string }>(
    "select endpoint || ' ' || slice_key as slice, payload from etl.raw_slice",
  );
  for (const { payload, slice } of chunks)
    for (const { bytes } of await openChunk(payload)) note(`archive of ${slice}`, bytes.toString());
  const { rows: statistics } = await pool.query<{ row: string }>(
    "select s::text as row from pg_stats as s where schemaname in ('warehouse', 'etl')",
  );
  for (const { row } of statistics) note('statistics', row);
  const { rows: comments } = await pool.query<{ row: string }>(
    'select description as row from pg_description',
  );
  for (const { row } of comments) note('comment', row);
  if (directory !== undefined)
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        const path = join(entry.parentPath, entry.name);
        note(path, path);
        note(path, await readFile(path, 'latin1'));
      }
  return found;
}
