/** Statements on the rows of dimensions: they read all keys, look up some keys, or insert new rows. */
import { sql } from 'kysely';
import { type Dimension, partSeparator } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { type AttributeSet, type Dated, reportedColumns } from './attributes.ts';
import { bytesOfLongName, digestOf, identityOf } from './natural-key.ts';

/** The organization and dimension of keys, and the endpoint that reports them. */
export interface KeyTarget {
  readonly orgKey: number;
  readonly dimension: Dimension;
  readonly endpoint: string;
}

/**
 * All surrogate keys of an organization in a dimension, in one scan instead of many look-ups; undefined if there are more
 * than `most`. The key of the map is `identityOf` the natural key. Of long names only the digests are sent.
 */
export async function readAllKeys(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  most: number,
): Promise<Map<string, number> | undefined> {
  const { rows } = await sql<IdentifiedRow>`
    select ${identified(dimension)}
    from ${sql.table(`warehouse.${dimension.table}`)}
    where org_key = ${orgKey}
    limit ${most + 1}
  `.execute(db);
  return rows.length > most
    ? undefined
    : new Map(rows.map((row) => [identityOfRow(dimension, row), row.key]));
}

/** A row: its surrogate key, and the parts of its natural key; if the parts are long, the digest of the natural key. */
type IdentifiedRow = Readonly<Record<string, string | null>> & {
  readonly key: number;
  readonly digest: string | null;
};

/** The select list of an `IdentifiedRow`. */
function identified(dimension: Dimension) {
  const names = dimension.naturalKey.map((column) => sql.ref(column));
  const bytes = names.map((name) => sql`octet_length(${name})`);
  const isLong = sql`${sql.join(bytes, sql` + `)} >= ${sql.lit(bytesOfLongName)}`;
  const parts = names.map(
    (name, part) => sql`case when ${isLong} then null else ${name} end as ${sql.ref(`part_${part + 1}`)}`,
  );
  const digest = sql`case when ${isLong} then encode(natural_key_digest, 'hex') end as digest`;
  return sql.join([sql`${sql.ref(dimension.key)} as key`, ...parts, digest]);
}

function identityOfRow({ naturalKey }: Dimension, row: IdentifiedRow): string {
  return (
    row.digest ?? identityOf(naturalKey.map((_, part) => row[`part_${part + 1}`] ?? '').join(partSeparator))
  );
}

/** Looks up natural keys; calls `onFound` for each one that has a row. Only digests are sent. */
export async function lookUpKeys(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  naturalKeys: readonly string[],
  onFound: (index: number, key: number) => void,
): Promise<void> {
  if (naturalKeys.length === 0) return;
  const digests = naturalKeys.map((naturalKey) => `\\x${digestOf(naturalKey)}`);
  const ofOrganization = dimension.perOrganization ? sql`and d.org_key = ${orgKey}` : sql``;
  const { rows } = await sql<{ position: string; key: number }>`
    select wanted.position, d.${sql.ref(dimension.key)} as key
    from unnest(${digests}::bytea[]) with ordinality as wanted (digest, position)
    join ${sql.table(`warehouse.${dimension.table}`)} as d on d.natural_key_digest = wanted.digest ${ofOrganization}
  `.execute(db);
  for (const { position, key } of rows) onFound(Number(position) - 1, key);
}

/** The reports of new names, in the order of the names. */
export interface ReportsOfNames {
  readonly attributeSet: AttributeSet;
  readonly reports: readonly (Dated | undefined)[];
}

/**
 * Inserts names with their reported attributes; calls `onMade` for each inserted row. Names of one organization are
 * inserted by its own run only, so they need no `on conflict`, which takes 50 % longer. Names that organizations share
 * are inserted in sorted order, so that two runs cannot deadlock.
 */
export async function insertRows(
  db: Database,
  { orgKey, dimension, endpoint }: KeyTarget,
  naturalKeys: readonly string[],
  reported: readonly ReportsOfNames[],
  onMade: (identity: string, key: number) => void,
): Promise<void> {
  const { perOrganization } = dimension;
  const split = naturalKeys.map((naturalKey) => naturalKey.split(partSeparator));
  const columns = dimension.naturalKey.map((column, part) => ({
    column,
    values: sql`${split.map((each) => each[part] ?? '')}::text[]`,
  }));
  for (const { attributeSet, reports } of reported) columns.push(...reportedColumns(attributeSet, reports));
  const names = sql.join(columns.map(({ column }) => sql.ref(column)));
  const attributeSets = reported.map(({ attributeSet }) => attributeSet);
  const endpointColumns = attributeSets.map(({ endpointColumn }) => sql`, ${sql.ref(endpointColumn)}`);
  const endpoints = attributeSets.map(
    ({ dateColumn }) => sql`, case when ${sql.ref(dateColumn)} is not null then ${endpoint} end`,
  );
  const { rows } = await sql<IdentifiedRow>`
    insert into ${sql.table(`warehouse.${dimension.table}`)}
      (${perOrganization ? sql`org_key, ` : sql``}${names}${sql.join(endpointColumns, sql``)})
    select ${perOrganization ? sql`${orgKey}::integer, ` : sql``}${names}${sql.join(endpoints, sql``)}
    from unnest(${sql.join(columns.map(({ values }) => values))}) as reported (${names})
    ${perOrganization ? sql`` : sql`order by ${names} on conflict do nothing`}
    returning ${identified(dimension)}
  `.execute(db);
  for (const row of rows) onMade(identityOfRow(dimension, row), row.key);
}
