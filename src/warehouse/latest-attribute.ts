/**
 * Attributes of a dimension that follow the newest report, such as a user's e-mail: the value of the latest
 * usage date that has one stays, in whatever order days are loaded.
 */
import { sql } from 'kysely';
import type { Observation } from '../model/flatten.ts';
import type { Dimension } from '../model/table.ts';
import type { Database } from './connection.ts';
import type { ResolvedKeys } from './dimension-keys.ts';

/**
 * Brings attributes up to what a slice of `usageDate` reports. On one date the endpoint whose name sorts last
 * decides, so that the result does not depend on which is loaded first.
 */
export async function refreshLatestAttributes(
  db: Database,
  observations: readonly Observation[],
  resolved: ResolvedKeys,
  usageDate: string,
  endpoint: string,
): Promise<void> {
  const byDimension = new Map<Dimension, Map<number, string>>();
  for (const { reference, naturalKey, value } of observations) {
    const key = resolved.get(reference.dimension)?.get(naturalKey);
    if (key === undefined) continue;
    const values = byDimension.get(reference.dimension) ?? new Map<number, string>();
    values.set(key, value);
    byDimension.set(reference.dimension, values);
  }
  for (const [dimension, values] of byDimension)
    await refreshAttribute(db, dimension, values, usageDate, endpoint);
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
