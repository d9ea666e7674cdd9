/** Which rows of which tables belong to a slice. */
import { sql } from 'kysely';
import type { Slice } from '../../model/source.ts';
import { referencesOf, type TableDefinition } from '../../model/table.ts';
import type { Session } from '../connection/connection.ts';

/** What a load needs to know. */
export interface SliceTarget {
  readonly orgKey: number;
  readonly slice: Slice;
  readonly tables: readonly TableDefinition[];
}

/** Rows of the slice that each table holds, by table name. Reads only primary keys. */
export async function countStoredRows(
  session: Session,
  target: SliceTarget,
): Promise<Record<string, number>> {
  const counts = target.tables.map(
    (table) => sql`
      (select count(*) from ${sql.table(factName(table))} as f where ${inSlice(target)}) as ${sql.ref(table.name)}`,
  );
  const { rows } = await sql<Record<string, string>>`select ${sql.join(counts)}`.execute(session.db);
  const [row] = rows;
  return Object.fromEntries(target.tables.map(({ name }) => [name, Number(row?.[name] ?? 0)]));
}

/**
 * The condition on a row `slice` of `etl.slice`, in SQL, that a table holds as many rows of the slice as the row
 * says; false where it says nothing. Only for slices whose scope is told by columns that `etl.slice` has as well.
 */
export function holdsRecordedRows(table: TableDefinition, scopeColumns: readonly string[]): string {
  const sameScope = ['org_key', ...scopeColumns].map((column) => `f."${column}" = slice."${column}"`);
  return `(select count(*) from ${factName(table)} as f where ${sameScope.join(' and ')})
    = (slice.table_rows ->> '${table.name}')::bigint`;
}

/** The qualified name of a fact. */
export function factName({ name }: TableDefinition): string {
  return `warehouse.${name}`;
}

/** The rows `f` of a table that belong to the slice. */
export function inSlice({ orgKey, slice }: SliceTarget) {
  const scope = Object.entries(slice.scope).map(([column, value]) => sql`f.${sql.ref(column)} = ${value}`);
  return sql.join([sql`f.org_key = ${orgKey}`, ...scope], sql` and `);
}

/** The columns that a load fills, in the order of a line. */
export function loadedColumns(table: TableDefinition, scopeColumns: readonly string[]): string[] {
  const references = referencesOf(table).map(({ column }) => column);
  return ['org_key', ...scopeColumns, ...references, ...table.measures.map(({ column }) => column)];
}

/** The place of rows of `table`, with the columns that a load fills, as `COPY` wants it. */
export function copyTarget(place: string, table: TableDefinition, scopeColumns: readonly string[]): string {
  const columns = loadedColumns(table, scopeColumns).map((column) => `"${column}"`);
  return `${place} (${columns.join(', ')})`;
}

/** The columns that all rows of a slice share, as a line of `COPY` begins. */
export function linePrefix(orgKey: number, { scope }: Slice): string {
  return [orgKey, ...Object.values(scope)].join(',');
}
