/**
 * Attributes of a dimension that follow the newest report, such as a user's e-mail: the value of the latest
 * usage date that has one stays, in whatever order days are loaded.
 */
import { sql } from 'kysely';
import type { Batch } from '../../flatten/pending-rows.ts';
import type { Dimension } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import type { KeysOfNames } from './batch-keys.ts';
import type { KeyCache, LatestReports } from './dimension-keys.ts';

/** A report as text that sorts like reports do: by date, then by endpoint. */
function reportOf(usageDate: string, endpoint: string): string {
  return `${usageDate} ${endpoint}`;
}

/** What a slice reports of the rows of dimensions. */
export interface Report {
  readonly observed: Batch['observed'];
  readonly keys: KeysOfNames;
  readonly usageDate: string;
}

/** A value with the day that it is reported of. */
type Dated = Readonly<{ value: string; usageDate: string }>;

/**
 * Brings attributes up to what slices of one endpoint report. On one date the endpoint whose name sorts last
 * decides, so that the result does not depend on which is loaded first. What is known to follow a later report is
 * not even looked at. Returns the reports that this transaction makes attributes follow.
 */
export async function refreshLatestAttributes(
  db: Database,
  reports: readonly Report[],
  cache: KeyCache,
  endpoint: string,
): Promise<LatestReports> {
  const byDimension = new Map<Dimension, Map<number, Dated>>();
  for (const { observed, keys, usageDate } of reports) {
    const report = reportOf(usageDate, endpoint);
    for (const [dimension, values] of observed) {
      const latest = byDimension.get(dimension) ?? new Map<number, Dated>();
      byDimension.set(dimension, latest);
      const ofDimension = keys.get(dimension);
      for (let number = 0; number < values.length; number++) {
        const [value, key] = [values[number], ofDimension?.[number]];
        if (value === undefined || key === undefined || (cache.latestReport(dimension, key) ?? '') > report)
          continue;
        const known = latest.get(key);
        if (known === undefined || known.usageDate <= usageDate) latest.set(key, { value, usageDate });
      }
    }
  }
  const followed: LatestReports = new Map();
  for (const [dimension, values] of byDimension) {
    if (values.size === 0) continue;
    await refreshAttribute(db, dimension, values, endpoint);
    const reportsByKey = new Map(
      [...values].map(([key, { usageDate }]) => [key, reportOf(usageDate, endpoint)]),
    );
    followed.set(dimension, reportsByKey);
  }
  return followed;
}

async function refreshAttribute(
  db: Database,
  dimension: Dimension,
  values: ReadonlyMap<number, Dated>,
  endpoint: string,
): Promise<void> {
  const attribute = dimension.latestAttribute;
  if (attribute === undefined) return;
  const sorted = [...values].sort(([a], [b]) => a - b);
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
    from (
      select d.${key} as key, seen.value, seen.usage_date
      from unnest(${seen}) as seen (key, value, usage_date)
      join ${sql.table(`warehouse.${dimension.table}`)} as d on d.${key} = seen.key
      where d.${date} is null
        or d.${date} < seen.usage_date
        or (d.${date} = seen.usage_date and d.${source} < ${endpoint})
        or (d.${date} = seen.usage_date and d.${source} = ${endpoint} and d.${value} is distinct from seen.value)
      order by d.${key}
      for no key update of d
    ) as seen
    where d.${key} = seen.key
  `.execute(db);
}
