/** Statements on the rows of dimensions: reading keys, looking them up, making new ones. */
import { sql } from 'kysely';
import { type Dimension, partSeparator } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { type Dated, type Following, reportedColumns } from './attributes.ts';

/** Where keys are made. */
export interface KeyTarget {
  readonly orgKey: number;
  readonly dimension: Dimension;
  readonly endpoint: string;
}

/**
 * All keys of a dimension by natural key, in one scan instead of many look-ups; undefined when they are more than
 * `most`.
 */
export async function readAllKeys(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  most: number,
): Promise<Map<string, number> | undefined> {
  const names = dimension.naturalKey.map((column) => sql.ref(column));
  const { rows } = await sql<Record<string, string> & { key: number }>`
    select ${sql.ref(dimension.key)} as key, ${sql.join(names)}
    from ${sql.table(`warehouse.${dimension.table}`)}
    ${dimension.perOrganization ? sql`where org_key = ${orgKey}` : sql``}
    limit ${most + 1}
  `.execute(db);
  return rows.length > most ? undefined : new Map(rows.map((row) => [naturalKeyOf(dimension, row), row.key]));
}

function naturalKeyOf({ naturalKey }: Dimension, row: Readonly<Record<string, string | number>>): string {
  return naturalKey.map((column) => row[column] ?? '').join(partSeparator);
}

/** Tells the keys of those natural keys that have one, by their index. */
export async function lookUpKeys(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  naturalKeys: readonly string[],
  onFound: (index: number, key: number) => void,
): Promise<void> {
  if (naturalKeys.length === 0) return;
  const aliases = partAliases(dimension);
  const parts = sql.join(aliases.map((alias) => sql.ref(`wanted.${alias}`)));
  const ofOrganization = dimension.perOrganization ? sql`and d.org_key = ${orgKey}` : sql``;
  const split = naturalKeys.map((naturalKey) => naturalKey.split(partSeparator));
  const arrays = aliases.map((_, part) => sql`${split.map((each) => each[part] ?? '')}::text[]`);
  const columns = sql.join([...aliases, 'position'].map((alias) => sql.ref(alias)));
  const { rows } = await sql<{ position: string; key: number }>`
    select wanted.position, d.${sql.ref(dimension.key)} as key
    from unnest(${sql.join(arrays)}) with ordinality as wanted (${columns})
    join ${sql.table(`warehouse.${dimension.table}`)} as d
      on d.natural_key_digest = warehouse.natural_key_digest(${parts}) ${ofOrganization}
  `.execute(db);
  for (const { position, key } of rows) onFound(Number(position) - 1, key);
}

/** What is reported of new names, in their order. */
export interface ReportsOfNames {
  readonly following: Following;
  readonly reports: readonly (Dated | undefined)[];
}

/**
 * Inserts names with what is reported of them; tells the keys that it made. Names of one organization are made by its
 * own run only: they need no `on conflict`, which takes half as long again. Others are inserted in their order, so that
 * two runs never wait for each other in a circle.
 */
export async function insertRows(
  db: Database,
  { orgKey, dimension, endpoint }: KeyTarget,
  naturalKeys: readonly string[],
  reported: readonly ReportsOfNames[],
  onMade: (naturalKey: string, key: number) => void,
): Promise<void> {
  const { perOrganization } = dimension;
  const split = naturalKeys.map((naturalKey) => naturalKey.split(partSeparator));
  const columns = dimension.naturalKey.map((column, part) => ({
    column,
    values: sql`${split.map((each) => each[part] ?? '')}::text[]`,
  }));
  for (const { following, reports } of reported) columns.push(...reportedColumns(following, reports));
  const names = sql.join(columns.map(({ column }) => sql.ref(column)));
  const followings = reported.map(({ following }) => following);
  const endpointColumns = followings.map(({ endpointColumn }) => sql`, ${sql.ref(endpointColumn)}`);
  const endpoints = followings.map(
    ({ dateColumn }) => sql`, case when ${sql.ref(dateColumn)} is not null then ${endpoint} end`,
  );
  const { rows } = await sql<Record<string, string> & { key: number }>`
    insert into ${sql.table(`warehouse.${dimension.table}`)}
      (${perOrganization ? sql`org_key, ` : sql``}${names}${sql.join(endpointColumns, sql``)})
    select ${perOrganization ? sql`${orgKey}::integer, ` : sql``}${names}${sql.join(endpoints, sql``)}
    from unnest(${sql.join(columns.map(({ values }) => values))}) as reported (${names})
    ${perOrganization ? sql`` : sql`order by ${names} on conflict do nothing`}
    returning ${sql.ref(dimension.key)} as key, ${sql.join(dimension.naturalKey.map((column) => sql.ref(column)))}
  `.execute(db);
  for (const row of rows) onMade(naturalKeyOf(dimension, row), row.key);
}

function partAliases(dimension: Dimension): string[] {
  return dimension.naturalKey.map((_, part) => `part_${part + 1}`);
}
