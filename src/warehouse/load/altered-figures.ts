/** Lists the figures of a fact that differ from the figures of staged rows; writes nothing. */
import { sql } from 'kysely';
import { isReference, type StoredTable } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import {
  countDifferences,
  flagsOf,
  hasVanished,
  isChanged,
  isFlagged,
  type KeptKeys,
  sameKey,
  valueColumns,
} from './difference.ts';
import { factName, inSlices, type LoadTarget } from './slice-target.ts';
import { keyColumns, staged } from './staging.ts';

/** A figure that differs (`altered`), a row that the fact lacks (`missing`), or a row that only the fact has (`added`). */
export interface AlteredFigure {
  /** The column that differs; null for a missing or an added row. */
  readonly column: string | null;
  readonly problem: 'altered' | 'missing' | 'added';
  /** The staged value and the value in the fact: numbers as exact decimal text, everything else null. */
  readonly expected: string | null;
  readonly actual: string | null;
  /** The values of the table's own keys; a surrogate key comes with the natural key of its row. */
  readonly keys: readonly KeyInFact[];
}

/** A key of a row. */
export interface KeyInFact {
  readonly column: string;
  readonly value: string;
  /** Parts of the natural key; undefined if the column is no reference, or the key has no row in its dimension. */
  readonly natural: readonly string[] | undefined;
}

/** The result of comparing a table with its staged rows. */
export interface TableComparison {
  readonly table: StoredTable;
  /** Number of compared figures; a missing or added row counts as one. */
  readonly compared: number;
  /** Number of figures that differ. */
  readonly altered: number;
  /** The first figures that differ. */
  readonly listed: readonly AlteredFigure[];
}

/** Most characters of a text that is shown. */
const longestText = 2_000;

/** Compares all figures of slices in one table with those of the staged rows; lists at most `mostListed` differences. */
export async function compareFigures(
  db: Database,
  target: LoadTarget,
  table: StoredTable,
  kept: readonly KeptKeys[],
  mostListed: number,
): Promise<TableComparison> {
  const width = Math.max(1, valueColumns(table).length);
  const differences = [...(await countDifferences(db, target, table, kept)).values()];
  const sum = (count: (difference: (typeof differences)[number]) => number) =>
    differences.reduce((total, difference) => total + count(difference), 0);
  const inOneOnly = sum(({ inserted, vanished }) => inserted + vanished);
  const compared = sum(({ held, vanished }) => held - vanished) * width + inOneOnly;
  if (inOneOnly + sum(({ updated }) => updated) === 0) return { table, compared, altered: 0, listed: [] };
  const { altered, listed } = await listAltered(db, target, table, kept, mostListed);
  return { table, compared, altered, listed };
}

async function listAltered(
  db: Database,
  target: LoadTarget,
  table: StoredTable,
  kept: readonly KeptKeys[],
  mostListed: number,
): Promise<Pick<TableComparison, 'altered' | 'listed'>> {
  const flags = Object.entries(flagsOf(table));
  const held = [...keyColumns(target, table), ...valueColumns(table), ...flags.map(([column]) => column)];
  const { rows } = await sql<Omit<AlteredFigure, 'keys'> & { total: string } & Record<string, string | null>>`
    select part.*, count(*) over () as total${sql.join(
      table.keys.map((_, position) => selectedKey(table, position)),
      sql``,
    )}
    from (
      select ${sql.join(held.map((column) => sql.ref(column)))}
      from ${sql.table(factName(table))} as f
      where ${inSlices(target)}
    ) as f
    full join ${staged(table)} as s on ${sameKey(target, table)}
    ${sql.join(
      table.keys.map((_, position) => joinedDimension(table, position)),
      sql` `,
    )}
    cross join lateral (
      select 'missing' as problem, null as "column", null as expected, null as actual
      where f.org_key is null
      union all
      select 'added', null, null, null
      where s.org_key is null and ${hasVanished(target, table, kept)}
      union all
      select 'altered', figure.name, figure.expected, figure.actual
      from (values ${sql.join([...comparedColumns(table), ...comparedFlags(table)])})
        as figure (name, is_altered, expected, actual)
      where s.org_key is not null and f.org_key is not null and ${isChanged(table)} and figure.is_altered
    ) as part
    order by ${sql.join(keyColumns(target, table).map((column) => sql`coalesce(s.${sql.ref(column)}, f.${sql.ref(column)})`))}
    limit ${mostListed}
  `.execute(db);
  const listed = rows.map(({ column, problem, expected, actual, ...row }) => ({
    column,
    problem,
    expected,
    actual,
    keys: table.keys.map((key, position) => ({
      column: key.column,
      value: row[`key_${position}`] ?? '',
      natural: row[`natural_${position}`]?.split(partSeparatorShown),
    })),
  }));
  return { altered: Number(rows[0]?.total ?? 0), listed };
}

/** Separates the parts of a natural key within Postgres, whose texts cannot hold the NUL of `partSeparator`. */
const partSeparatorShown = '\u001f';

function comparedColumns({ references, values }: StoredTable) {
  return [
    ...references.map(({ column }) => {
      const name = sql.ref(column);
      return sql`(${column}::text, s.${name} is distinct from f.${name}, null::text, null::text)`;
    }),
    ...values.map(({ column, type }) => {
      const name = sql.ref(column);
      const isNumber = ['bigint', 'integer', 'numeric', 'double precision'].includes(type);
      const shown = isNumber ? sql`s.${name}::text, f.${name}::text` : sql`null::text, null::text`;
      return sql`(${column}::text, s.${name} is distinct from f.${name}, ${shown})`;
    }),
  ];
}

function comparedFlags(table: StoredTable) {
  const flags = Object.keys(flagsOf(table));
  // `values` needs at least one line. This line is never a difference.
  if (flags.length === 0) return [sql`(null::text, false, null::text, null::text)`];
  return flags.map((column) => sql`(${column}::text, ${isFlagged(table)}, null::text, null::text)`);
}

function joinedDimension({ keys }: StoredTable, position: number) {
  const key = keys[position];
  if (key === undefined || !isReference(key)) return sql``;
  const [alias, column] = [sql.ref(`d${position}`), sql.ref(key.column)];
  return sql`left join ${sql.table(`warehouse.${key.dimension.table}`)} as ${alias}
    on ${alias}.${sql.ref(key.dimension.key)} = coalesce(s.${column}, f.${column})`;
}

function selectedKey({ keys }: StoredTable, position: number) {
  const key = keys[position];
  if (key === undefined) return sql``;
  const column = sql.ref(key.column);
  const value = sql`, ${bounded(sql`coalesce(s.${column}, f.${column})::text`)} as ${sql.ref(`key_${position}`)}`;
  if (!isReference(key)) return value;
  const parts = key.dimension.naturalKey.map((part) => sql`d${sql.raw(String(position))}.${sql.ref(part)}`);
  const natural = bounded(sql.join(parts, sql` || ${partSeparatorShown}::text || `));
  return sql`${value}, ${natural} as ${sql.ref(`natural_${position}`)}`;
}

/** A text, or its length if it is too long. A name is never cut: in a part of it the sanitizer would miss a secret. */
function bounded(text: ReturnType<typeof sql>) {
  return sql`case when length(${text}) > ${sql.raw(String(longestText))} then format('a name of %s characters', length(${text})) else ${text} end`;
}
