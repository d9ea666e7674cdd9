/** Rewrites texts of tables row by row, where they name somebody who is forgotten. */
import type pg from 'pg';
import type { PersonColumn } from '../../model/person-places.ts';
import { withTransaction } from '../connection/connection.ts';
import { isUniqueViolation } from '../connection/database-error.ts';
import { giveToTwin } from './give-to-twin.ts';

/** What rewriting needs. */
export interface Rewriting {
  readonly pool: pg.Pool;
  /** Rows of other organizations are left alone; those of none are not. */
  readonly orgKeys: readonly number[];
  /** The text, or the JSON text, with pseudonyms. */
  readonly rewrite: (text: string, kind: PersonColumn['kind']) => string;
  /** Called before anything is overwritten: by then it must be kept whose names came to be known. */
  readonly beforeWriting: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** A row whose text changes; `place` is where the row lay. */
interface Change {
  readonly place: string;
  readonly before: string;
  readonly after: string;
}

/** A payload may have a megabyte. */
const rowsAtOnce = 50;
/** Somebody may change a row between our reading and our writing: it is read again. */
const mostReadings = 10;

/** Rewrites one column, in one transaction that may be repeated; returns how many rows changed. */
export async function rewriteColumn(rewriting: Rewriting, column: PersonColumn): Promise<number> {
  let rewritten = 0;
  for (let reading = 0; reading < mostReadings; reading++) {
    const { changed, missed } = await rewriteOnce(rewriting, column);
    rewritten += changed;
    if (missed === 0) break;
  }
  return rewritten;
}

function rewriteOnce(
  rewriting: Rewriting,
  { table, column, kind }: PersonColumn,
): Promise<{ readonly changed: number; readonly missed: number }> {
  const name = identifier(column);
  return withTransaction(rewriting.pool, async ({ client }) => {
    // Who inserts without the lock of an organization has seen the old names, or waits and sees the new ones.
    if (table === 'etl.check_result') await client.query(`lock table ${table} in share row exclusive mode`);
    // What its guard lets through: another name for a person, and nothing else. For this transaction only.
    if (table === 'etl.credit_limit_change')
      await client.query("select set_config('usage_etl.renames_person', 'yes', true)");
    const { type, ofOrganizations } = await describe(client, table, column);
    await client.query(
      `declare found no scroll cursor for
      select ctid::text as place, ${name}::text as before
      from ${table}
      where ${name} is not null ${ofOrganizations ? 'and (org_key is null or org_key = any($1))' : 'and $1::integer[] is not null'}`,
      [rewriting.orgKeys],
    );
    let [changed, missed] = [0, 0];
    for (;;) {
      rewriting.signal.throwIfAborted();
      const { rows } = await client.query<Omit<Change, 'after'>>(`fetch ${rowsAtOnce} from found`);
      if (rows.length === 0) break;
      const changes = rows
        .map(({ place, before }) => ({ place, before, after: rewriting.rewrite(before, kind) }))
        .filter(({ before, after }) => after !== before);
      if (changes.length > 0) await rewriting.beforeWriting();
      for (const change of changes) {
        const written = await write(client, { table, name, type }, change);
        if (written) changed += 1;
        else missed += 1;
      }
    }
    return { changed, missed };
  });
}

/** The type of a column, and whether each row of its table is of an organization. */
async function describe(client: pg.ClientBase, table: string, column: string) {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
    from pg_catalog.pg_attribute
    where attrelid = $1::regclass and attname = any($2) and not attisdropped`,
    [table, [column, 'org_key']],
  );
  const type = rows.find(({ name }) => name === column)?.type;
  if (type === undefined) throw new TypeError(`expected a column ${column} in ${table}, found none`);
  return { type, ofOrganizations: rows.some(({ name }) => name === 'org_key') };
}

/** Writes a change; false when the row is no longer what was read. */
async function write(
  client: pg.ClientBase,
  { table, name, type }: { readonly table: string; readonly name: string; readonly type: string },
  { place, before, after }: Change,
): Promise<boolean> {
  await client.query('savepoint one_row');
  try {
    const { rowCount } = await client.query(
      `update ${table} set ${name} = $1::${type} where ctid = $2::tid and ${name}::text = $3`,
      [after, place, before],
    );
    await client.query('release savepoint one_row');
    return rowCount === 1;
  } catch (error) {
    await client.query('rollback to savepoint one_row');
    if (!isUniqueViolation(error)) throw error;
    // The pseudonym has a row already: what was loaded after the person had become known.
    await giveToTwin(client, { table, name, place, after });
    return true;
  }
}

/** A name as SQL writes it. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
