/** Temporary tables for rows that a fact may hold already, or whose keys may come twice. */
import { sql } from 'kysely';
import { codeOf } from '../../model/error-code.ts';
import { WarehouseError } from '../../model/errors.ts';
import type { Slice } from '../../model/source.ts';
import type { StoredTable } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { factName, type LoadTarget, loadedColumns, scopeColumnsOf } from './slice-target.ts';

/** SQLSTATE of a number that is too large for its column. */
const outOfRange = '22003';
/** Staged rows from which on the planner needs statistics to choose a good plan. */
const rowsWorthAnalyzing = 5_000;
/** The number of the chunk that brought a row: it orders rows with the same key. */
export const chunkColumn = 'chunk';

/** The qualified name of the temporary table of a fact. */
export function stagedName({ name }: StoredTable): string {
  return `pg_temp.staged_${name}`;
}

/** Creates the temporary table of a fact, once per connection. Postgres empties it at the end of each transaction. */
export async function createStaging(
  db: Database,
  table: StoredTable,
  scopeColumns: readonly string[],
): Promise<void> {
  const columns = loadedColumns(table, scopeColumns).map((column) => sql.ref(column));
  await sql`
    create temporary table if not exists ${staged(table)} on commit delete rows as
    select 0 as ${sql.ref(chunkColumn)}, ${sql.join(columns)} from ${sql.table(factName(table))} with no data
  `.execute(db);
}

/** Analyzes the staged rows if there are many. The key columns are enough for the planner. */
export async function analyzeStaged(
  db: Database,
  target: LoadTarget,
  table: StoredTable,
  rows: number,
): Promise<void> {
  if (rows < rowsWorthAnalyzing) return;
  const columns = keyColumns(target, table).map((column) => sql.ref(column));
  await sql`analyze ${staged(table)} (${sql.join(columns)})`.execute(db);
}

/**
 * Keeps the planner from nested loops for the rest of the transaction. For a day that came after the last `analyze` of a
 * fact, the planner expects one row. If the day has twenty thousand, it would scan all staged rows for each of them.
 */
export async function neverCompareEachWithEach(db: Database): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(db);
}

/** The columns of a table's primary key. */
export function keyColumns(target: Pick<LoadTarget, 'slices'>, { keys }: StoredTable): string[] {
  return ['org_key', ...scopeColumnsOf(target), ...keys.map(({ column }) => column)];
}

/**
 * Leaves one staged row for each key that came in several chunks of a slice. With `last`, only the last record with the
 * key stays, with all rows below it. With `sum`, the rows are summed. Returns the number of repeated keys, by table.
 */
export async function resolveDuplicates(
  db: Database,
  target: LoadTarget,
  duplicates: 'sum' | 'last',
): Promise<Map<StoredTable, number>> {
  const found = new Map<StoredTable, number>();
  const [root] = target.tables;
  if (duplicates === 'last' && root !== undefined) {
    const replaced = await dropReplaced(db, target, root);
    if (replaced > 0) found.set(root, replaced);
    return found;
  }
  for (const table of target.tables) {
    const merged = await sumDuplicates(db, target, table);
    if (merged > 0) found.set(table, merged);
  }
  return found;
}

async function dropReplaced(db: Database, target: LoadTarget, root: StoredTable): Promise<number> {
  const keys = keyColumns(target, root).map((column) => sql.ref(column));
  const { rows } = await sql<{ replaced: string }>`
    create temporary table pg_temp.last_chunk on commit drop as
    select ${sql.join(keys)}, max(${sql.ref(chunkColumn)}) as last, count(*) as times
    from ${staged(root)}
    group by ${sql.join(keys)}
    having count(*) > 1
  `
    .execute(db)
    .then(() =>
      sql<{
        replaced: string;
      }>`select coalesce(sum(times - 1), 0) as replaced from pg_temp.last_chunk`.execute(db),
    );
  const replaced = Number(rows[0]?.replaced ?? 0);
  if (replaced === 0) return 0;
  const sameKey = keys.map((key) => sql`s.${key} = twice.${key}`);
  // The keys of the tables below begin with the keys of the root.
  for (const table of target.tables)
    await sql`
      delete from ${staged(table)} as s using pg_temp.last_chunk as twice
      where ${sql.join(sameKey, sql` and `)} and s.${sql.ref(chunkColumn)} < twice.last
    `.execute(db);
  return replaced;
}

async function sumDuplicates(db: Database, target: LoadTarget, table: StoredTable): Promise<number> {
  const keys = keyColumns(target, table).map((column) => sql.ref(column));
  const chunk = sql.ref(chunkColumn);
  const last = (column: string) =>
    sql`(array_agg(${sql.ref(column)} order by ${chunk} desc) filter (where ${sql.ref(column)} is not null))[1]`;
  const values = [
    ...table.references.map(({ column }) => last(column)),
    ...table.values.map(({ column, whenDuplicate }) =>
      whenDuplicate === 'sum' ? sql`sum(${sql.ref(column)})` : last(column),
    ),
  ];
  const columns = loadedColumns(table, scopeColumnsOf(target)).map((column) => sql.ref(column));
  const sameKey = keys.map((key) => sql`s.${key} = twice.${key}`);
  const merging = sql<{ again: string }>`
    with twice as (
      select ${sql.join(keys)}, count(*) as times from ${staged(table)} group by ${sql.join(keys)} having count(*) > 1
    ),
    taken as (
      delete from ${staged(table)} as s using twice where ${sql.join(sameKey, sql` and `)} returning s.*
    ),
    merged as (
      insert into ${staged(table)} (${chunk}, ${sql.join(columns)})
      select max(${chunk}), ${sql.join([...keys, ...values])} from taken group by ${sql.join(keys)}
    )
    select coalesce(sum(times - 1), 0) as again from twice
  `;
  try {
    const { rows } = await merging.execute(db);
    return Number(rows[0]?.again ?? 0);
  } catch (error) {
    if (codeOf(error) !== outOfRange) throw error;
    throw new WarehouseError(
      `records with the same identity, in different parts of the answers, add up to more than a column of ${table.name} holds`,
      { cause: error },
    );
  }
}

/** Removes the staged rows of a slice. */
export async function unstage(db: Database, target: LoadTarget, slice: Slice): Promise<void> {
  const scope = Object.entries(slice.scope).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const where = scope.length === 0 ? sql`true` : sql.join(scope, sql` and `);
  for (const table of target.tables) await sql`delete from ${staged(table)} where ${where}`.execute(db);
}

/** The temporary table of a fact, for Kysely. */
export function staged(table: StoredTable) {
  return sql.table(stagedName(table));
}
