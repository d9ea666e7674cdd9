/** Describes in SQL which rows of which tables belong to slices, and counts them. */
import { sql } from 'kysely';
import type { Slice } from '../../model/source.ts';
import { namedColumns, type StoredTable } from '../../model/table.ts';
import type { Session } from '../connection/connection.ts';

/** Slices of one source, and the tables of their rows. The slices have the same scope columns, in the same order. */
export interface LoadTarget {
  readonly orgKey: number;
  readonly tables: readonly StoredTable[];
  readonly slices: readonly Slice[];
}

/** The names of the scope columns of a target's slices. */
export function scopeColumnsOf({ slices }: Pick<LoadTarget, 'slices'>): string[] {
  return Object.keys(slices[0]?.scope ?? {});
}

/**
 * The scope of a slice as one text, the same that `scopeText` selects; empty without scope columns. If there are several
 * values, the length of each stands before it, because a value may contain any separator.
 */
export function scopeTextOf({ scope }: Slice): string {
  const [only = '', ...others] = Object.values(scope);
  if (others.length === 0) return only;
  return [only, ...others].map((value) => `${Buffer.byteLength(value)}:${value}`).join('');
}

/** The scope of a row as one text, in SQL. `read` returns the expression for a column. */
export function scopeText(columns: readonly string[], read: (column: string) => ReturnType<typeof sql>) {
  const [only, ...others] = columns.map((column) => sql`${read(column)}::text`);
  if (only === undefined) return sql`''::text`;
  if (others.length === 0) return only;
  return sql.join(
    [only, ...others].map((value) => sql`octet_length(${value}) || ':' || ${value}`),
    sql` || `,
  );
}

/** A condition on rows `f` of a table: they belong to one of the slices. */
export function inSlices({ orgKey, slices }: Pick<LoadTarget, 'orgKey' | 'slices'>) {
  const columns = scopeColumnsOf({ slices });
  const ofOrganization = sql`f.org_key = ${orgKey}`;
  if (columns.length === 0) return ofOrganization;
  const scope = sql.join(columns.map((column) => sql`f.${sql.ref(column)}`));
  const scopes = slices.map((slice) => sql`(${sql.join(Object.values(slice.scope))})`);
  return sql`${ofOrganization} and (${scope}) in (${sql.join(scopes)})`;
}

/** Rows of a slice that each table holds. */
export type TableRows = Readonly<Record<string, number>>;

/**
 * Counts the rows of slices in each table; the key of the map is the slice's scope as `scopeTextOf` writes it. A slice
 * without rows is not in the map. Reads only primary keys.
 */
export async function countHeld({ db }: Session, target: LoadTarget): Promise<Map<string, TableRows>> {
  const columns = scopeColumnsOf(target);
  const scope = scopeText(columns, (column) => sql`f.${sql.ref(column)}`);
  const grouped = [sql`f.org_key`, ...columns.map((column) => sql`f.${sql.ref(column)}`)];
  const counts = target.tables.map(
    (table) => sql`
      select ${scope} as scope, ${table.name} as table_name, count(*) as held
      from ${sql.table(factName(table))} as f
      where ${inSlices(target)}
      group by ${sql.join(grouped)}`,
  );
  const { rows } = await sql<Record<'scope' | 'table_name' | 'held', string>>`
    ${sql.join(counts, sql` union all `)}
  `.execute(db);
  return new Map(
    [...Map.groupBy(rows, (row) => row.scope)].map(([ofScope, counted]) => [
      ofScope,
      Object.fromEntries(counted.map(({ table_name, held }) => [table_name, Number(held)])),
    ]),
  );
}

/**
 * A condition in SQL on a row `slice` of `etl.slice`: the table holds as many rows of the slice as this ledger row says,
 * flagged rows included. False if the ledger row has no number for the table. Valid for all slices with the scope
 * columns of the slice `like`.
 */
export function holdsRecordedRows(table: StoredTable, like: Slice): string {
  const sameScope = Object.keys(like.scope).map(
    (column) => ` and f."${column}" = slice.${ledgerColumn(like, column)}`,
  );
  return `(select count(*) from ${factName(table)} as f where f.org_key = slice.org_key${sameScope.join('')})
    = (slice.table_rows ->> '${table.name}')::bigint`;
}

/** The column of `etl.slice` that has the value of a scope column. Throws `TypeError` when there is none. */
function ledgerColumn({ endpoint, key, usageDate, scope }: Slice, column: string): string {
  const value = scope[column];
  if (value === usageDate) return 'usage_date';
  if (value === key) return 'slice_key';
  throw new TypeError(`${endpoint}: the scope ${column} of a slice must be its day or its key`);
}

/** The qualified name of a fact. */
export function factName({ name }: Pick<StoredTable, 'name'>): string {
  return `warehouse.${name}`;
}

/** The columns that a load fills, in the order of the copied lines. */
export function loadedColumns(table: StoredTable, scopeColumns: readonly string[]): string[] {
  const columns = [...namedColumns(table), ...table.values].map(({ column }) => column);
  return ['org_key', ...scopeColumns, ...columns];
}
