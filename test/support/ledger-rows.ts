/** Reads all rows and columns of the ledger and the tables. */
import type pg from 'pg';
import { expect } from 'vitest';

/** The values of a row by column; times with microseconds, bytes in hexadecimal. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** The ledger row of a slice; undefined when there is none. */
export async function sliceRow(pool: pg.Pool, endpoint: string, day: string): Promise<StoredRow | undefined> {
  const rows = await rowsOf(pool, 'etl.slice', 'endpoint = $1 and slice_key = $2', [endpoint, day]);
  return rows[0];
}

/** The status of each slice; the key is `<endpoint> <key of the slice>`. */
export async function sliceStatuses(pool: pg.Pool): Promise<Readonly<Record<string, unknown>>> {
  const rows = await rowsOf(pool, 'etl.slice');
  return Object.fromEntries(rows.map((row) => [`${row.endpoint} ${row.slice_key}`, row.status]));
}

/** The archive of a slice, chunk by chunk. */
export function archiveRows(pool: pg.Pool, endpoint: string, day: string): Promise<readonly StoredRow[]> {
  return rowsOf(pool, 'etl.raw_slice', 'endpoint = $1 and slice_key = $2', [endpoint, day]);
}

/** The rejected rows of an endpoint. */
export function rejectedRows(pool: pg.Pool, endpoint: string): Promise<readonly StoredRow[]> {
  return rowsOf(pool, 'etl.rejected_row', 'endpoint = $1', [endpoint]);
}

/** The drift of an endpoint and kind. */
export function driftRows(pool: pg.Pool, endpoint: string, kind: string): Promise<readonly StoredRow[]> {
  return rowsOf(pool, 'etl.drift', 'endpoint = $1 and kind = $2', [endpoint, kind]);
}

/** Every row of every fact and bridge, `loaded_at` included, by table. */
export async function factRows(pool: pg.Pool): Promise<Readonly<Record<string, readonly StoredRow[]>>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'warehouse'::regnamespace and relkind = 'r' and relname ~ '^(fact|bridge)_'
     order by relname`,
  );
  const tables = await Promise.all(
    rows.map(async ({ name }) => [name, await rowsOf(pool, `warehouse.${name}`)] as const),
  );
  return Object.fromEntries(tables);
}

/** Fails when the archive or the quarantine holds something of a slice that the ledger does not know. */
export async function expectNothingOrphaned(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ orphan: string }>(
    `select kept.place || ' ' || kept.endpoint || ' ' || kept.slice_key as orphan
     from (
       select 'etl.raw_slice' as place, org_key, endpoint, slice_key from etl.raw_slice
       union
       select 'etl.rejected_row', org_key, endpoint, slice_key from etl.rejected_row where slice_key is not null
     ) as kept
     left join etl.slice as s using (org_key, endpoint, slice_key)
     where s.slice_key is null
     order by 1`,
  );
  expect(rows.map(({ orphan }) => orphan)).toEqual([]);
}

async function rowsOf(
  pool: pg.Pool,
  table: string,
  condition = 'true',
  values: readonly string[] = [],
): Promise<readonly StoredRow[]> {
  const { rows } = await pool.query<{ stored: StoredRow }>(
    `select to_jsonb(t.*) as stored from ${table} as t where ${condition} order by to_jsonb(t.*)::text`,
    [...values],
  );
  return rows.map(({ stored }) => stored);
}
