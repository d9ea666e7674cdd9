/** Compares what is staged with what a fact holds: counts the differences in one join, and writes only these. */
import { sql } from 'kysely';
import type { RowChanges } from '../../model/run.ts';
import type { TableDefinition } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import {
  factName,
  inSlices,
  type LoadTarget,
  loadedColumns,
  scopeColumnsOf,
  scopeText,
  scopeTextOf,
} from './slice-target.ts';
import { keyColumns, staged } from './staging.ts';

/** Rows of a slice that stay although they are not staged: all whose keys begin with `leadingKeys`. */
export interface KeptKeys {
  readonly slice: LoadTarget['slices'][number];
  readonly leadingKeys: readonly number[];
}

/** What it takes to make the rows of a slice in one table equal to what is staged. */
export interface Difference extends RowChanges {
  /** Rows that the table holds now. */
  readonly held: number;
}

/** Counts differences by the scope of the slices, as `scopeTextOf` writes it. */
export async function countDifferences(
  db: Database,
  target: LoadTarget,
  table: TableDefinition,
  kept: readonly KeptKeys[],
): Promise<Map<string, Difference>> {
  const scopeColumns = scopeColumnsOf(target);
  const columns = loadedColumns(table, scopeColumns).map((column) => sql.ref(column));
  const scope = scopeText(
    scopeColumns,
    (column) => sql`coalesce(s.${sql.ref(column)}, f.${sql.ref(column)})`,
  );
  const inBoth = sql`s.org_key is not null and f.org_key is not null`;
  const { rows } = await sql<Record<'scope' | 'held' | 'inserted' | 'updated' | 'deleted', string>>`
    select
      ${scope} as scope,
      count(f.org_key) as held,
      count(*) filter (where f.org_key is null) as inserted,
      count(*) filter (where ${inBoth} and ${isChanged(table)}) as updated,
      count(*) filter (where s.org_key is null ${exceptKept(table, kept, scopeColumns)}) as deleted
    from (select ${sql.join(columns)} from ${sql.table(factName(table))} as f where ${inSlices(target)}) as f
    full join ${staged(table)} as s on ${sameKey(target, table)}
    group by 1
  `.execute(db);
  return new Map(
    rows.map((row) => [
      row.scope,
      {
        held: Number(row.held),
        inserted: Number(row.inserted),
        updated: Number(row.updated),
        deleted: Number(row.deleted),
      },
    ]),
  );
}

/** Makes the fact hold what is staged, and the rows that stay. `changes` says which statements are needed. */
export async function writeDifferences(
  db: Database,
  target: LoadTarget,
  table: TableDefinition,
  kept: readonly KeptKeys[],
  changes: RowChanges,
): Promise<void> {
  const scopeColumns = scopeColumnsOf(target);
  const fact = sql.table(factName(table));
  if (changes.deleted > 0)
    await sql`
      delete from ${fact} as f
      where ${inSlices(target)}
        and not exists (select from ${staged(table)} as s where ${sameKey(target, table)})
        ${exceptKept(table, kept, scopeColumns)}
    `.execute(db);
  if (changes.updated > 0) {
    const assignments = valueColumns(table).map((column) => sql`${sql.ref(column)} = s.${sql.ref(column)}`);
    await sql`
      update ${fact} as f
      set ${sql.join(assignments)}, loaded_at = now()
      from ${staged(table)} as s
      where ${inSlices(target)} and ${sameKey(target, table)} and ${isChanged(table)}
    `.execute(db);
  }
  if (changes.inserted > 0) {
    const columns = sql.join(loadedColumns(table, scopeColumns).map((column) => sql.ref(column)));
    await sql`
      insert into ${fact} (${columns})
      select ${columns}
      from ${staged(table)} as s
      where not exists (select from ${fact} as f where ${inSlices(target)} and ${sameKey(target, table)})
    `.execute(db);
  }
}

function sameKey(target: LoadTarget, table: TableDefinition) {
  const same = keyColumns(target, table).map((column) => sql`s.${sql.ref(column)} = f.${sql.ref(column)}`);
  return sql.join(same, sql` and `);
}

function valueColumns({ attributes, measures }: TableDefinition): string[] {
  return [...attributes, ...measures].map(({ column }) => column);
}

function isChanged(table: TableDefinition) {
  const columns = valueColumns(table).map((column) => sql.ref(column));
  if (columns.length === 0) return sql`false`;
  const [ofFact, ofStaged] = [
    columns.map((column) => sql`f.${column}`),
    columns.map((column) => sql`s.${column}`),
  ];
  return sql`(${sql.join(ofFact)}) is distinct from (${sql.join(ofStaged)})`;
}

/** A condition on rows `f`: all but those that stay. */
function exceptKept(table: TableDefinition, kept: readonly KeptKeys[], scopeColumns: readonly string[]) {
  const byDepth = Map.groupBy(kept, ({ leadingKeys }) => leadingKeys.length);
  const conditions = [...byDepth].map(([depth, ofDepth]) => {
    const keys = table.keys.slice(0, depth).map(({ column }) => column);
    const arrays = [
      sql`${ofDepth.map(({ slice }) => scopeTextOf(slice))}::text[]`,
      ...keys.map(
        (_, position) => sql`${ofDepth.map(({ leadingKeys }) => leadingKeys[position])}::integer[]`,
      ),
    ];
    const columns = ['scope', ...keys].map((column) => sql.ref(column));
    const scope = sql`k.scope = ${scopeText(scopeColumns, (column) => sql`f.${sql.ref(column)}`)}`;
    const same = [scope, ...keys.map((column) => sql`k.${sql.ref(column)} = f.${sql.ref(column)}`)];
    return sql`
      and not exists (
        select from unnest(${sql.join(arrays)}) as k (${sql.join(columns)}) where ${sql.join(same, sql` and `)}
      )`;
  });
  return sql.join(conditions, sql` `);
}
