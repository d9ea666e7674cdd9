/** Checks for the tables of every source, built from the declarations of the sources. */
import pg from 'pg';
import { flattenOf } from '../../flatten/flatten.ts';
import type { Source } from '../../model/source.ts';
import { isReference, type StoredTable } from '../../model/table.ts';
import type { SqlCheck } from './sql-checks.ts';

const { escapeIdentifier: name, escapeLiteral: literal } = pg;

/**
 * Compares the number of rows in tables with the numbers in the ledger: for each slice and table with `table_rows`, and
 * for the main table also with `row_count`. A difference means that something else than this program wrote to the facts or
 * to the ledger. Slices with a day are compared if the day is in the range, all other slices always.
 */
export function rowsInLedger(sources: readonly Source[]): SqlCheck {
  const parts = sources.flatMap((source) =>
    flattenOf(source).tables.flatMap((table, index) => [
      rowsOfTable(source, table, `(s.table_rows ->> ${literal(table.name)})::numeric`, 'table_rows'),
      ...(index === 0 ? [rowsOfTable(source, table, 's.row_count::numeric', 'row_count')] : []),
    ]),
  );
  return { name: 'rows_in_ledger', comparisons: { text: parts.join('\nunion all\n'), parameters: [] } };
}

// A long key is left out as a whole: in a part of it the sanitizer would miss a secret.
const sliceKey = "coalesce(recorded.slice_key, stored.scope::jsonb ->> 0, 'unknown')";
const whichSlice = `' of slice ' || case
        when length(${sliceKey}) <= 200 then ${sliceKey}
        else format('with a key of %s characters', length(${sliceKey}))
      end`;

function rowsOfTable(source: Source, table: StoredTable, recorded: string, ledgerColumn: string): string {
  const scope = Object.entries(source.partitioning.scope);
  const scopeColumns = ['org_key', ...scope.map(([column]) => column)]
    .map((column) => `f.${name(column)}`)
    .join(', ');
  const dayColumn = dayColumnOf(source);
  const inRange = (day: string) => `${day} between $2::date and $3::date`;
  // Rows of a day that is not in the ledger are found by facts_without_ledger.sql, for all tables.
  const isOfDays = dayColumn === 'usage_date' && scope.length === 1;
  return `
    select
      ${literal(source.name)} as endpoint,
      coalesce(recorded.usage_date, stored.usage_date) as usage_date,
      coalesce(recorded.row_count, 0) as expected,
      coalesce(stored.row_count, 0)::numeric as actual,
      case when coalesce(recorded.row_count, 0) = coalesce(stored.row_count, 0) then 'ok' else 'contradiction' end
        as verdict,
      'rows of ${table.name}' ${dayColumn === undefined ? `|| ${whichSlice}` : ''} || ' as in etl.slice.${ledgerColumn}' as detail
    from (
      select
        ${uniqueTextOf(scope.map(([, column]) => `s.${column}`))} as scope,
        min(s.slice_key) as slice_key,
        min(s.usage_date) as usage_date,
        sum(${recorded}) as row_count
      from etl.slice as s
      where s.org_key = $1
        and s.endpoint = ${literal(source.name)}
        -- a slice that does not list the table was never loaded
        and s.table_rows ->> ${literal(table.name)} is not null
        ${dayColumn === undefined ? '' : `and ${inRange('s.usage_date')}`}
      group by 1
    ) as recorded
    ${isOfDays ? 'left' : 'full'} join (
      select
        ${uniqueTextOf(scope.map(([column]) => `counted.${name(column)}`))} as scope,
        ${dayColumn === undefined ? 'null::date' : `counted.${name(dayColumn)}`} as usage_date,
        counted.row_count
      from (
        select ${scopeColumns}, count(*) as row_count
        from warehouse.${name(table.name)} as f
        where f.org_key = $1
          ${dayColumn === undefined ? '' : `and ${inRange(`f.${name(dayColumn)}`)}`}
        group by ${scopeColumns}
      ) as counted
    ) as stored on stored.scope = recorded.scope
    where recorded.usage_date is null or ${inRange('recorded.usage_date')}`;
}

/**
 * A `select`, like those in `sql/checks`, of rows of breakdowns whose record has no row in the main table. A breakdown
 * comes within its record, so such rows remain only after a deletion by hand.
 */
export function breakdownsWithoutTotal(sources: readonly Source[]): { name: string; text: string } {
  const parts = sources.flatMap((source) => {
    const [root, ...below] = flattenOf(source).tables;
    return root === undefined ? [] : below.map((table) => rowsWithoutRoot(source, root, table));
  });
  return { name: 'breakdowns_without_total', text: parts.join('\nunion all\n') };
}

function rowsWithoutRoot(source: Source, root: StoredTable, table: StoredTable): string {
  const dayColumn = dayColumnOf(source);
  // The columns of the main table's primary key; for a text the primary key has the digest.
  const shared = [
    'org_key',
    ...Object.keys(source.partitioning.scope).map((column) =>
      column === dayColumn ? column : `${column}_digest`,
    ),
    ...root.keys.map((key) =>
      !isReference(key) && key.type === 'text' ? `${key.column}_digest` : key.column,
    ),
  ];
  const columns = shared.map((column) => `f.${name(column)}`).join(', ');
  // As in etl.rows_to_check, "offset" makes the planner look up each range and each row of the main table separately.
  return `
    select
      ${literal(source.name)} as endpoint,
      ${dayColumn === undefined ? 'null::date' : `b.${name(dayColumn)}`} as usage_date,
      format('%s: %s rows without their row in %s', '${table.name}', sum(b.row_count), '${root.name}') as detail
    from (
      select ${columns}, count(*) as row_count
      from ${
        dayColumn === undefined
          ? `warehouse.${name(table.name)} as f
      where f.org_key = $1`
          : `etl.days_to_check($2, $3) as days
      cross join lateral (
        select * from warehouse.${name(table.name)} as f
        where f.org_key = $1 and f.${name(dayColumn)} between days.from_day and days.to_day
        offset 0
      ) as f`
      }
      group by ${columns}
    ) as b
    where not exists (
      select
      from warehouse.${name(root.name)} as t
      where ${shared.map((column) => `t.${name(column)} = b.${name(column)}`).join(' and ')}
      offset 0
    )
    group by 1, 2`;
}

/** The scope column with the day of a slice; undefined if there is none. */
function dayColumnOf({ partitioning }: Source): string | undefined {
  return Object.entries(partitioning.scope).find(([, from]) => from === 'usage_date')?.[0];
}

/** A text that is unique for the values. */
function uniqueTextOf(values: readonly string[]): string {
  return `jsonb_build_array(${values.map((value) => `${value}::text`).join(', ')})::text`;
}
