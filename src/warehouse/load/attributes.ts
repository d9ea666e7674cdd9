/**
 * Attributes of a dimension. They follow the report of the latest usage date, whatever the order in which slices are
 * loaded. A `reported` attribute (a user's e-mail) follows the latest usage date that has a value for it; its date
 * and endpoint are in `<column>_date` and `<column>_endpoint`. All `seen` attributes (of a computer) follow the
 * latest usage date together, null included; its date and endpoint are `seen_date` and `seen_endpoint`.
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

/** The attributes of a dimension, divided by the report that they follow. */
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

/** Text by which reports sort: by date, then by endpoint. */
export function recencyOf(usageDate: string, endpoint: string): string {
  return `${usageDate} ${endpoint}`;
}

/** The values of many rows for the columns of an `AttributeSet`, without the endpoint: null where nothing is reported. */
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
 * Updates attributes from what an endpoint reports, by surrogate key. On one date the endpoint whose name sorts last
 * wins, so that the result does not depend on the order of loading; a later reading of the same endpoint wins, too.
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

/** Sum of the lengths of values. */
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
