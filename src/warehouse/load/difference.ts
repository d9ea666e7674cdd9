/** Compares staged rows with the rows of a fact: counts the differences in one join, and writes only rows that differ. */
import { sql } from 'kysely';
import type { RowChanges } from '../../model/run.ts';
import { isReference, type StoredTable } from '../../model/table.ts';
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

/** Rows of a slice that stay although they are not staged: all rows whose keys begin with `leadingKeys`. */
export interface KeptKeys {
  readonly slice: LoadTarget['slices'][number];
  /** The first keys of these rows: surrogate keys, or texts for keys that are no references. */
  readonly leadingKeys: readonly (number | string)[];
}

/** The changes that make the rows of a slice in one table equal to the staged rows. */
export interface Difference extends RowChanges {
  /** Rows that the table holds now, flagged ones included. */
  readonly held: number;
  /** Stored rows that the answer no longer has: they are deleted, or flagged. */
  readonly vanished: number;
}

/** Counts the differences of each slice; the key of the map is the slice's scope as `scopeTextOf` writes it. */
export async function countDifferences(
  db: Database,
  target: LoadTarget,
  table: StoredTable,
  kept: readonly KeptKeys[],
): Promise<Map<string, Difference>> {
  const scopeColumns = scopeColumnsOf(target);
  const flags = Object.keys(flagsOf(table));
  const columns = [...loadedColumns(table, scopeColumns), ...flags].map((column) => sql.ref(column));
  const scope = scopeText(
    scopeColumns,
    (column) => sql`coalesce(s.${sql.ref(column)}, f.${sql.ref(column)})`,
  );
  const inBoth = sql`s.org_key is not null and f.org_key is not null`;
  const { rows } = await sql<Record<'scope' | Exclude<keyof Difference, 'deleted'>, string>>`
    select
      ${scope} as scope,
      count(f.org_key) as held,
      count(*) filter (where f.org_key is null) as inserted,
      count(*) filter (where ${inBoth} and ${isChanged(table)}) as updated,
      count(*) filter (where s.org_key is null and ${hasVanished(target, table, kept)}) as vanished
    from (select ${sql.join(columns)} from ${sql.table(factName(table))} as f where ${inSlices(target)}) as f
    full join ${staged(table)} as s on ${sameKey(target, table)}
    group by 1
  `.execute(db);
  return new Map(
    rows.map((row) => {
      const vanished = Number(row.vanished);
      const [flagged, deleted] = flags.length > 0 ? [vanished, 0] : [0, vanished];
      const [held, inserted] = [Number(row.held), Number(row.inserted)];
      const updated = Number(row.updated) + flagged;
      return [row.scope, { held, inserted, updated, deleted, vanished }];
    }),
  );
}

/** Makes the fact hold the staged rows and the rows in `kept`. A statement whose number in `changes` is 0 is not run. */
export async function writeDifferences(
  db: Database,
  target: LoadTarget,
  table: StoredTable,
  kept: readonly KeptKeys[],
  changes: Pick<Difference, 'vanished' | 'updated' | 'inserted'>,
): Promise<void> {
  const scopeColumns = scopeColumnsOf(target);
  const fact = sql.table(factName(table));
  const flags = Object.entries(flagsOf(table));
  if (changes.vanished > 0) {
    const flagged = flags.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
    await sql`
      ${flags.length > 0 ? sql`update ${fact} as f set ${sql.join(flagged)}, loaded_at = now()` : sql`delete from ${fact} as f`}
      where ${inSlices(target)}
        and not exists (select from ${staged(table)} as s where ${sameKey(target, table)})
        and ${hasVanished(target, table, kept)}
    `.execute(db);
  }
  if (changes.updated > 0) {
    const assignments = [
      ...valueColumns(table).map((column) => sql`${sql.ref(column)} = s.${sql.ref(column)}`),
      ...flags.map(([column, value]) => sql`${sql.ref(column)} = ${!value}`),
    ];
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

/** A condition: a staged row `s` and a row `f` of the fact have the same key. */
export function sameKey(target: LoadTarget, table: StoredTable) {
  const same = keyColumns(target, table).map((column) => sql`s.${sql.ref(column)} = f.${sql.ref(column)}`);
  return sql.join(same, sql` and `);
}

/** The columns that are not part of the key. */
export function valueColumns({ references, values }: StoredTable): string[] {
  return [...references, ...values].map(({ column }) => column);
}

/** The columns and values that flag a vanished row; empty if such rows are deleted. */
export function flagsOf({ vanished }: StoredTable): Readonly<Record<string, boolean>> {
  return vanished === 'delete' ? {} : vanished;
}

/** A condition on rows `f`: they are flagged as vanished. */
export function isFlagged(table: StoredTable) {
  const flags = Object.entries(flagsOf(table)).map(
    ([column, value]) => sql`f.${sql.ref(column)} is not distinct from ${value}`,
  );
  return flags.length === 0 ? sql`false` : sql`(${sql.join(flags, sql` and `)})`;
}

/** A condition on rows `s` and `f` with the same key: their values differ, or the row is flagged. */
export function isChanged(table: StoredTable) {
  const columns = valueColumns(table).map((column) => sql.ref(column));
  if (columns.length === 0) return isFlagged(table);
  const [ofFact, ofStaged] = [
    columns.map((column) => sql`f.${column}`),
    columns.map((column) => sql`s.${column}`),
  ];
  return sql`((${sql.join(ofFact)}) is distinct from (${sql.join(ofStaged)}) or ${isFlagged(table)})`;
}

/**
 * A condition on stored rows `f`: the answer no longer has them, so they must be deleted or flagged. Rows in `kept` and
 * rows that are flagged already do not meet it. Where vanished records are flagged, the rows below them stay with them.
 */
export function hasVanished(target: LoadTarget, table: StoredTable, kept: readonly KeptKeys[]) {
  const [root] = target.tables;
  const staysWithRoot =
    root === undefined || root === table || root.vanished === 'delete'
      ? sql``
      : sql`and exists (select from ${staged(root)} as s where ${sameKey(target, root)})`;
  return sql`not ${isFlagged(table)} ${staysWithRoot} ${exceptKept(table, kept, scopeColumnsOf(target))}`;
}

/** A condition on rows `f`: they are not among the rows in `kept`. */
function exceptKept(table: StoredTable, kept: readonly KeptKeys[], scopeColumns: readonly string[]) {
  const byDepth = Map.groupBy(kept, ({ leadingKeys }) => leadingKeys.length);
  const conditions = [...byDepth].map(([depth, ofDepth]) => {
    const leading = table.keys.slice(0, depth);
    const keys = leading.map(({ column }) => column);
    const arrays = [
      sql`${ofDepth.map(({ slice }) => scopeTextOf(slice))}::text[]`,
      ...leading.map((key, position) => {
        const type = sql.raw(isReference(key) ? 'integer' : key.type);
        return sql`${ofDepth.map(({ leadingKeys }) => leadingKeys[position])}::${type}[]`;
      }),
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
