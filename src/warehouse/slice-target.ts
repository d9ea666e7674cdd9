/** Which rows of which tables belong to a slice. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Slice } from '../model/source.ts';
import { referencesOf, type TableDefinition } from '../model/table.ts';
import type { Session } from './connection.ts';

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
  const counts = target.tables.map((table) => sql`${storedRows(target, table)} as ${sql.ref(table.name)}`);
  const { rows } = await sql<Record<string, string>>`select ${sql.join(counts)}`.execute(session.db);
  const [row] = rows;
  return Object.fromEntries(target.tables.map(({ name }) => [name, Number(row?.[name] ?? 0)]));
}

/** The condition that each table holds as many rows of the slice as `expected` says; false where that says nothing. */
export function holdsRows(
  target: SliceTarget,
  expected: Readonly<Record<string, number>>,
): RawBuilder<SqlBool> {
  const same = target.tables.map(
    (table) => sql`${storedRows(target, table)} = ${expected[table.name] ?? null}`,
  );
  return sql<SqlBool>`(${sql.join(same, sql` and `)})`;
}

function storedRows(target: SliceTarget, { name }: TableDefinition) {
  return sql`(select count(*) from ${sql.table(`warehouse.${name}`)} as f where ${inSlice(target)})`;
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
