/** Merges or numbers a row that is to get a new name, when another row of the table already has this name. */
import type pg from 'pg';
import { isUniqueViolation } from '../connection/database-error.ts';
import type { StoredColumn } from './stored-column.ts';

/** A row that cannot be renamed, because another row has the name. */
export interface RowOfSameName extends Pick<StoredColumn, 'table' | 'column' | 'number'> {
  /** Postgres' physical place of the row. */
  readonly ctid: string;
  /** The new name. */
  readonly after: string;
}

/** A foreign key of another table: its table and column, and the column that it refers to. */
interface Referring {
  readonly table: string;
  readonly column: string;
  readonly key: string;
  readonly has_loaded_at: boolean;
}

/**
 * Merges `row` into the row that has its new name: all references to `row` then point to the other one, and `row` is
 * deleted. If this would break a unique key of a referring table, `row` stays and gets the new name with its number
 * appended. Call it within a transaction.
 */
export async function mergeRow(client: pg.ClientBase, row: RowOfSameName): Promise<void> {
  await client.query('savepoint merging');
  try {
    await merge(client, row);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await client.query('rollback to savepoint merging');
    await giveNumber(client, row, '-');
  }
  await client.query('release savepoint merging');
}

/** Gives the row its new name, with its number appended after `sign`. */
export async function giveNumber(
  client: pg.ClientBase,
  { table, column, number, ctid, after }: RowOfSameName,
  sign: '-' | '#',
): Promise<void> {
  if (number === null) throw new TypeError(`expected a column that numbers the rows of ${table}, found none`);
  await client.query(`update ${table} set ${column} = $1::text || ${number} where ctid = $2::tid`, [
    after + sign,
    ctid,
  ]);
}

async function merge(client: pg.ClientBase, { table, column, ctid, after }: RowOfSameName): Promise<void> {
  const same = await readSameColumns(client, table, column);
  for (const { table: other, column: reference, key, has_loaded_at } of await readReferring(client, table))
    await client.query(
      `update ${other} as referring
      set ${reference} = kept.${key}${has_loaded_at ? ', loaded_at = now()' : ''}
      from ${table} as gone, ${table} as kept
      where gone.ctid = $1::tid
        and kept.${column}::text = $2
        and kept.ctid <> gone.ctid
        ${same.map((each) => `and kept.${each} is not distinct from gone.${each}`).join(' ')}
        and referring.${reference} = gone.${key}`,
      [ctid, after],
    );
  await client.query(`delete from ${table} where ctid = $1::tid`, [ctid]);
}

/** The foreign keys of one column that refer to a table, from the catalog. */
async function readReferring(client: pg.ClientBase, table: string): Promise<Referring[]> {
  const { rows } = await client.query<Referring>(
    `select
      f.conrelid::regclass::text as table,
      quote_ident(a.attname) as column,
      quote_ident(k.attname) as key,
      exists (
        select from pg_catalog.pg_attribute as l
        where l.attrelid = f.conrelid and l.attname = 'loaded_at' and not l.attisdropped
      ) as has_loaded_at
    from pg_catalog.pg_constraint as f
    join pg_catalog.pg_attribute as a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
    join pg_catalog.pg_attribute as k on k.attrelid = f.confrelid and k.attnum = f.confkey[1]
    where f.contype = 'f' and f.confrelid = $1::regclass and f.conparentid = 0 and cardinality(f.conkey) = 1`,
    [table],
  );
  return rows;
}

/** The other columns of the natural key: the organization, and texts that are not null. */
async function readSameColumns(client: pg.ClientBase, table: string, name: string): Promise<string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select quote_ident(attname) as column
    from pg_catalog.pg_attribute
    where attrelid = $1::regclass
      and attnum > 0
      and not attisdropped
      and attgenerated = ''
      and quote_ident(attname) <> $2
      and (attname = 'org_key' or (attnotnull and atttypid = 'text'::regtype))`,
    [table, name],
  );
  return rows.map(({ column }) => column);
}
