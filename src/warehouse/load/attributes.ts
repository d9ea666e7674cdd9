/**
 * Attributes of a dimension. Their values come from the report with the latest usage date, in whatever order slices are
 * loaded. A `reported` attribute (a user's e-mail) follows the latest report that has a value for it; date and endpoint
 * of this report are in `<column>_date` and `<column>_endpoint`. All `seen` attributes (of a computer) follow the latest
 * report together, also where it has null; its date and endpoint are in `seen_date` and `seen_endpoint`.
 */
import { sql } from 'kysely';
import type { Reported } from '../../flatten/pending-rows.ts';
import type { Attribute, Dimension } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { statementBatches } from './statement-batches.ts';

/** Attributes that follow the same report, and the columns that name that report. */
export interface AttributeSet {
  readonly attributes: readonly Attribute[];
  readonly dateColumn: string;
  readonly endpointColumn: string;
}

/** Values of the attributes of an `AttributeSet`, with their usage date. */
export type Dated = Readonly<{ values: readonly (string | null)[]; usageDate: string }>;

/** The attributes of a dimension, in sets that follow the same report. */
export function attributeSetsOf({ attributes }: Dimension): AttributeSet[] {
  const ofReport = (name: string, followers: readonly Attribute[]): AttributeSet[] =>
    followers.length === 0
      ? []
      : [{ attributes: followers, dateColumn: `${name}_date`, endpointColumn: `${name}_endpoint` }];
  const seen = attributes.filter(({ follows }) => follows === 'seen');
  const others = attributes.filter(({ follows }) => follows === 'reported');
  return [
    ...others.flatMap((attribute) => ofReport(attribute.column, [attribute])),
    ...ofReport('seen', seen),
  ];
}

/** The reported values of the name with this number, one per attribute; undefined if there are none. */
export function reportedOf(
  observed: readonly (Reported | undefined)[],
  number: number,
): (string | null)[] | undefined {
  for (const values of observed)
    if (values?.[number] !== undefined) return observed.map((each) => each?.[number] ?? null);
  return undefined;
}

/** A text that sorts reports by date, then by endpoint. */
export function recencyOf(usageDate: string, endpoint: string): string {
  return `${usageDate} ${endpoint}`;
}

/** The values of many rows for the attribute and date columns of an `AttributeSet`; null where nothing is reported. */
export function reportedColumns(
  { attributes, dateColumn }: AttributeSet,
  reports: readonly (Dated | undefined)[],
) {
  return [
    ...attributes.map(({ column, type }, index) => ({
      column,
      values: sql`${reports.map((report) => report?.values[index] ?? null)}::${sql.raw(type)}[]`,
    })),
    { column: dateColumn, values: sql`${reports.map((report) => report?.usageDate ?? null)}::date[]` },
  ];
}

/**
 * Updates attributes of the rows with these surrogate keys by what `endpoint` reports. Of several reports of one date, the
 * endpoint whose name sorts last wins, so that the result does not depend on the order of loading; of one endpoint, the
 * later reading wins.
 */
export async function followReports(
  db: Database,
  dimension: Dimension,
  attributeSet: AttributeSet,
  reports: readonly (readonly [key: number, report: Dated])[],
  endpoint: string,
): Promise<void> {
  const sorted = reports.toSorted(([a], [b]) => a - b);
  for (const batch of statementBatches(sorted, ([, { values }]) => charactersOf(values)))
    await followBatch(db, dimension, attributeSet, batch, endpoint);
}

/** Number of characters of all values together. */
export function charactersOf(values: readonly (string | null)[]): number {
  return values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
}

async function followBatch(
  db: Database,
  dimension: Dimension,
  attributeSet: AttributeSet,
  sorted: readonly (readonly [key: number, report: Dated])[],
  endpoint: string,
): Promise<void> {
  const columns = reportedColumns(
    attributeSet,
    sorted.map(([, dated]) => dated),
  );
  const arrays = [sql`${sorted.map(([key]) => key)}::integer[]`, ...columns.map(({ values }) => values)];
  const names = columns.map(({ column }) => sql.ref(column));
  const [date, source] = [sql.ref(attributeSet.dateColumn), sql.ref(attributeSet.endpointColumn)];
  const values = attributeSet.attributes.map(({ column }) => sql.ref(column));
  const of = (row: 'd' | 'seen') => sql.join(values.map((value) => sql`${sql.ref(row)}.${value}`));
  await sql`
    update ${sql.table(`warehouse.${dimension.table}`)} as d
    set ${sql.join(names.map((name) => sql`${name} = seen.${name}`))}, ${source} = ${endpoint}
    from unnest(${sql.join(arrays)}) as seen (key, ${sql.join(names)})
    where d.${sql.ref(dimension.key)} = seen.key
      and (
        d.${date} is null
        or d.${date} < seen.${date}
        or (d.${date} = seen.${date} and d.${source} < ${endpoint})
        or (d.${date} = seen.${date} and d.${source} = ${endpoint} and (${of('d')}) is distinct from (${of('seen')}))
      )
  `.execute(db);
}
