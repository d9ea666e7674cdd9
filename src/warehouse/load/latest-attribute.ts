/**
 * Attributes of a dimension that follow the newest report, such as a user's e-mail: the value of the latest
 * usage date that has one stays, in whatever order days are loaded.
 */
import { sql } from 'kysely';
import type { Dimension } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';

/** A value with the day that it is reported of. */
export type Dated = Readonly<{ value: string; usageDate: string }>;

/** A report as text that sorts like reports do: by date, then by endpoint. */
export function reportOf(usageDate: string, endpoint: string): string {
  return `${usageDate} ${endpoint}`;
}

/**
 * Brings an attribute up to what an endpoint reports, by surrogate key. On one date the endpoint whose name sorts
 * last decides, so that the result does not depend on which is loaded first.
 */
export async function followReports(
  db: Database,
  dimension: Dimension,
  reports: ReadonlyMap<number, Dated>,
  endpoint: string,
): Promise<void> {
  const attribute = dimension.latestAttribute;
  if (attribute === undefined || reports.size === 0) return;
  const sorted = [...reports].sort(([a], [b]) => a - b);
  const [key, value, date, source] = [
    sql.ref(dimension.key),
    sql.ref(attribute),
    sql.ref(`${attribute}_date`),
    sql.ref(`${attribute}_endpoint`),
  ];
  const seen = sql.join([
    sql`${sorted.map(([seenKey]) => seenKey)}::integer[]`,
    sql`${sorted.map(([, dated]) => dated.value)}::text[]`,
    sql`${sorted.map(([, dated]) => dated.usageDate)}::date[]`,
  ]);
  await sql`
    update ${sql.table(`warehouse.${dimension.table}`)} as d
    set ${value} = seen.value, ${date} = seen.usage_date, ${source} = ${endpoint}
    from unnest(${seen}) as seen (key, value, usage_date)
    where d.${key} = seen.key
      and (
        d.${date} is null
        or d.${date} < seen.usage_date
        or (d.${date} = seen.usage_date and d.${source} < ${endpoint})
        or (d.${date} = seen.usage_date and d.${source} = ${endpoint} and d.${value} is distinct from seen.value)
      )
  `.execute(db);
}
