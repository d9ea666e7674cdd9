/** One person with two rows, of which one has the pseudonym already: what belongs to the other is given to it. */
import type pg from 'pg';
import { isUniqueViolation } from '../connection/database-error.ts';

/** A row that cannot be renamed, because another one is called so. */
export interface RowWithTwin {
  /** With its schema. */
  readonly table: string;
  /** Column that is to be renamed, as SQL writes it. */
  readonly name: string;
  /** Where the row lies. */
  readonly place: string;
  /** What it would be called. */
  readonly after: string;
}

/** A column that refers to the table. */
interface Referring {
  readonly table: string;
  readonly column: string;
  readonly key: string;
  readonly has_loaded_at: boolean;
}

/**
 * Lets every row that refers to the row refer to its twin, and deletes it. Where both are referred to by what may be
 * there once only, the row stays, under a name of its own. Called within a transaction.
 */
export async function giveToTwin(client: pg.ClientBase, row: RowWithTwin): Promise<void> {
  await client.query('savepoint twin');
  try {
    await give(client, row);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await client.query('rollback to savepoint twin');
    const { table, name, place, after } = row;
    await client.query(`update ${table} set ${name} = $1 where ctid = $2::tid`, [
      `${after}-${place.replace(/\D+/g, '-').replace(/^-|-$/g, '')}`,
      place,
    ]);
  }
  await client.query('release savepoint twin');
}

async function give(client: pg.ClientBase, { table, name, place, after }: RowWithTwin): Promise<void> {
  const referring = await readReferring(client, table);
  const same = await readSameColumns(client, table, name);
  for (const { table: other, column, key, has_loaded_at } of referring)
    await client.query(
      `update ${other} as referring
      set ${column} = twin.${key}${has_loaded_at ? ', loaded_at = now()' : ''}
      from ${table} as gone, ${table} as twin
      where gone.ctid = $1::tid
        and twin.${name}::text = $2
        and twin.ctid <> gone.ctid
        ${same.map((each) => `and twin.${each} is not distinct from gone.${each}`).join(' ')}
        and referring.${column} = gone.${key}`,
      [place, after],
    );
  await client.query(`delete from ${table} where ctid = $1::tid`, [place]);
}

/** The keys that lead to a table, as the catalog has them. */
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

/** What else tells rows of a table apart: the organization, and texts that are never missing. */
async function readSameColumns(client: pg.ClientBase, table: string, name: string): Promise<string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select quote_ident(attname) as column
    from pg_catalog.pg_attribute
    where attrelid = $1::regclass
      and attnum > 0
      and not attisdropped
      and attgenerated = ''
      and (attname = 'org_key' or (attnotnull and atttypid = 'text'::regtype))`,
    [table],
  );
  return rows.map(({ column }) => column).filter((column) => column !== name && `"${column}"` !== name);
}
