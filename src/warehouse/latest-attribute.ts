/**
 * Attributes of a dimension that follow the newest report, such as a user's e-mail: the value of the latest
 * usage date that has one stays, in whatever order days are loaded.
 */
import { sql } from 'kysely';
import type { Observation } from '../model/flat-record.ts';
import type { Dimension } from '../model/table.ts';
import type { Database } from './connection.ts';
import type { KeyCache, LatestReports, ResolvedKeys } from './dimension-keys.ts';

/** A report as text that sorts like reports do: by date, then by endpoint. */
function reportOf(usageDate: string, endpoint: string): string {
  return `${usageDate} ${endpoint}`;
}

/**
 * Brings attributes up to what a slice of `usageDate` reports. On one date the endpoint whose name sorts last
 * decides, so that the result does not depend on which is loaded first. What is known to follow a later report is
 * not even looked at. Returns the reports that this transaction makes attributes follow.
 */
export async function refreshLatestAttributes(
  db: Database,
  observations: readonly Observation[],
  resolved: ResolvedKeys,
  cache: KeyCache,
  usageDate: string,
  endpoint: string,
): Promise<LatestReports> {
  const report = reportOf(usageDate, endpoint);
  const byDimension = new Map<Dimension, Map<number, string>>();
  for (const { reference, naturalKey, value } of observations) {
    const { dimension } = reference;
    const key = resolved.get(dimension)?.get(naturalKey);
    if (key === undefined || (cache.latestReport(dimension, key) ?? '') > report) continue;
    const values = byDimension.get(dimension) ?? new Map<number, string>();
    values.set(key, value);
    byDimension.set(dimension, values);
  }
  const reports: LatestReports = new Map();
  for (const [dimension, values] of byDimension) {
    await refreshAttribute(db, dimension, values, usageDate, endpoint);
    reports.set(dimension, new Map([...values.keys()].map((key) => [key, report])));
  }
  return reports;
}

async function refreshAttribute(
  db: Database,
  dimension: Dimension,
  values: ReadonlyMap<number, string>,
  usageDate: string,
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
  await sql`
    update ${sql.table(`warehouse.${dimension.table}`)} as d
    set ${value} = seen.value, ${date} = ${usageDate}::date, ${source} = ${endpoint}
    from (
      select d.${key} as key, seen.value
      from unnest(${sorted.map(([seenKey]) => seenKey)}::integer[], ${sorted.map(([, text]) => text)}::text[])
        as seen (key, value)
      join ${sql.table(`warehouse.${dimension.table}`)} as d on d.${key} = seen.key
      where d.${date} is null
        or d.${date} < ${usageDate}::date
        or (d.${date} = ${usageDate}::date and d.${source} < ${endpoint})
        or (d.${date} = ${usageDate}::date and d.${source} = ${endpoint} and d.${value} is distinct from seen.value)
      order by d.${key}
      for no key update of d
    ) as seen
    where d.${key} = seen.key
  `.execute(db);
}
