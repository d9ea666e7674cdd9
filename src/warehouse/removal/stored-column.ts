/** Columns in which values may have to be removed, described from the catalog. */
import type pg from 'pg';
import type { PersonColumn } from '../../model/person-places.ts';
import type { RemovalRule } from './removal-rule.ts';

/** A column and its table, both quoted for SQL. */
export interface StoredColumn {
  readonly place: PersonColumn;
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Whether its table has a column `org_key`. */
  readonly ofOrganizations: boolean;
  /** Whether its table has a column `loaded_at` that says when the values of a row last changed. */
  readonly hasLoadedAt: boolean;
  /** The column that numbers the rows of its table (an identity column), if there is one. */
  readonly number: string | null;
}

/** Describes columns from the catalog, in their order. Throws `TypeError` when there is no such column. */
export async function describeColumns(
  client: pg.ClientBase,
  places: readonly PersonColumn[],
): Promise<StoredColumn[]> {
  const { rows } = await client.query<Omit<StoredColumn, 'place'>>(
    `select
      given.table,
      quote_ident(a.attname) as column,
      format_type(a.atttypid, a.atttypmod) as type,
      coalesce(bool_or(other.attname = 'org_key'), false) as "ofOrganizations",
      -- the ledger has a column of this name for something else
      coalesce(bool_or(other.attname = 'loaded_at'), false) and given.table like 'warehouse.%' as "hasLoadedAt",
      quote_ident(min(other.attname::text) filter (where other.attidentity <> '')) as number
    from unnest($1::text[], $2::text[]) with ordinality as given ("table", "column", position)
    left join pg_catalog.pg_attribute as a
      on a.attrelid = given.table::regclass and a.attname = given.column and not a.attisdropped
    left join pg_catalog.pg_attribute as other on other.attrelid = a.attrelid and not other.attisdropped
    group by given.position, given.table, a.attname, a.atttypid, a.atttypmod
    order by given.position`,
    [places.map(({ table }) => table), places.map(({ column }) => column)],
  );
  return places.map((place, index) => {
    const described = rows[index];
    if (described?.column == null)
      throw new TypeError(`expected a column ${place.column} in ${place.table}, found none`);
    return { ...described, place };
  });
}

/** An SQL condition for the rows whose value a rule may change; its parameters are `parametersOf(rule)`. */
export function condition({ place, column, ofOrganizations }: StoredColumn): string {
  return `${column} is not null
    and (cardinality($1::integer[]) is null ${ofOrganizations ? 'or org_key is null or org_key = any($1)' : 'or true'})
    and ($2::text is null or ${place.kind === 'email'} or ${column}::text ~* $2)`;
}

/** The parameters of `condition`. */
export function parametersOf({ orgKeys, pattern }: RemovalRule): unknown[] {
  return [orgKeys, pattern];
}

/** The columns that hold something that a rule removes, found in one statement; all columns for a rule without a pattern. */
export async function columnsHolding(
  client: pg.ClientBase,
  columns: readonly StoredColumn[],
  rule: RemovalRule,
): Promise<readonly StoredColumn[]> {
  if (rule.pattern === undefined) return columns;
  const each = columns.map((column) => `exists (select from ${column.table} where ${condition(column)})`);
  const { rows } = await client.query<{ held: boolean[] }>(
    `select array[${each.join(', ')}] as held`,
    parametersOf(rule),
  );
  return columns.filter((_, index) => rows[0]?.held[index] === true);
}
