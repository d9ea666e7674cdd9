/** Temporary tables for rows that may be there already, and the merge of their differences into the fact. */
import { sql } from 'kysely';
import type { RowChanges } from '../../model/run.ts';
import type { TableDefinition } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { factName, inSlice, loadedColumns, type SliceTarget } from './slice-target.ts';

/** From this many rows on, the planner needs to know the staged rows to choose well. */
const rowsWorthAnalyzing = 5_000;

/** The qualified name of the temporary table of a fact. */
export function stagedName({ name }: TableDefinition): string {
  return `pg_temp.staged_${name}`;
}

/** Makes the temporary table of a fact, once per connection. It empties itself at the end of each transaction. */
export async function stagingTable(
  db: Database,
  table: TableDefinition,
  scopeColumns: readonly string[],
): Promise<void> {
  const columns = loadedColumns(table, scopeColumns).map((column) => sql.ref(column));
  await sql`
    create temporary table if not exists ${staged(table)} on commit delete rows as
    select ${sql.join(columns)} from ${fact(table)} with no data
  `.execute(db);
}

/**
 * Makes the fact hold what is staged: deletes rows that are not staged, updates those that differ, inserts new
 * ones. Rows whose leading keys are in `kept` are not deleted.
 */
export async function mergeStaged(
  db: Database,
  target: SliceTarget,
  table: TableDefinition,
  stagedRows: number,
  kept: readonly number[][],
): Promise<RowChanges> {
  if (stagedRows >= rowsWorthAnalyzing) await sql`analyze ${staged(table)}`.execute(db);
  const sameKey = and(table.keys.map(({ column }) => sql`s.${sql.ref(column)} = f.${sql.ref(column)}`));
  const deleted = await sql`
    delete from ${fact(table)} as f
    where ${inSlice(target)}
      and not exists (select from ${staged(table)} as s where ${sameKey})
      ${exceptKept(table, kept)}
  `.execute(db);
  const updated = await updateChanged(db, target, table, sameKey);
  const columns = loadedColumns(table, Object.keys(target.slice.scope)).map((column) => sql.ref(column));
  const inserted = await sql`
    insert into ${fact(table)} (${sql.join(columns)})
    select ${sql.join(columns)}
    from ${staged(table)} as s
    where not exists (select from ${fact(table)} as f where ${inSlice(target)} and ${sameKey})
  `.execute(db);
  return {
    inserted: Number(inserted.numAffectedRows ?? 0),
    updated,
    deleted: Number(deleted.numAffectedRows ?? 0),
  };
}

async function updateChanged(
  db: Database,
  target: SliceTarget,
  table: TableDefinition,
  sameKey: ReturnType<typeof and>,
): Promise<number> {
  const columns = [...table.attributes, ...table.measures].map(({ column }) => sql.ref(column));
  if (columns.length === 0) return 0;
  const ofFact = columns.map((column) => sql`f.${column}`);
  const ofStaged = columns.map((column) => sql`s.${column}`);
  const assignments = columns.map((column) => sql`${column} = s.${column}`);
  const { numAffectedRows } = await sql`
    update ${fact(table)} as f
    set ${sql.join(assignments)}, loaded_at = now()
    from ${staged(table)} as s
    where ${inSlice(target)} and ${sameKey}
      and (${sql.join(ofFact)}) is distinct from (${sql.join(ofStaged)})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

function exceptKept(table: TableDefinition, kept: readonly number[][]) {
  const [first] = kept;
  if (first === undefined) return sql``;
  const keys = table.keys.slice(0, first.length).map(({ column }) => sql.ref(column));
  const arrays = keys.map((_, position) => sql`${kept.map((leading) => leading[position])}::integer[]`);
  const same = and(keys.map((column) => sql`k.${column} = f.${column}`));
  return sql`and not exists (select from unnest(${sql.join(arrays)}) as k (${sql.join(keys)}) where ${same})`;
}

function and(conditions: readonly ReturnType<typeof sql>[]) {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

function fact(table: TableDefinition) {
  return sql.table(factName(table));
}

function staged(table: TableDefinition) {
  return sql.table(stagedName(table));
}
