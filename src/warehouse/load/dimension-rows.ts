/** Statements on the rows of dimensions: reading keys, looking them up, making new ones. */
import { sql } from 'kysely';
import { type Dimension, partSeparator } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { type Dated, type Following, reportedColumns } from './attributes.ts';
import { bytesOfLongName, digestOf, identityOf } from './natural-key.ts';

/** Where keys are made. */
export interface KeyTarget {
  readonly orgKey: number;
  readonly dimension: Dimension;
  readonly endpoint: string;
}

/**
 * All keys of an organization's rows of a dimension, in one scan instead of many look-ups, by what `identityOf` says of
 * their natural keys; undefined when they are more than `most`. No text is read that is long.
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

/** A row by its surrogate key and either the parts of its natural key or, where these are long, its digest. */
type IdentifiedRow = Readonly<Record<string, string | null>> & {
  readonly key: number;
  readonly digest: string | null;
};

/** What an `IdentifiedRow` is selected by. */
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

/** Tells the keys of those natural keys that have one, by their index. Their texts are not sent. */
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

/** What is reported of new names, in their order. */
export interface ReportsOfNames {
  readonly following: Following;
  readonly reports: readonly (Dated | undefined)[];
}

/**
 * Inserts names with what is reported of them; tells the keys that it made, by what `identityOf` says of the names. Names of one organization are made by its
 * own run only: they need no `on conflict`, which takes half as long again. Others are inserted in their order, so that
 * two runs never wait for each other in a circle.
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
  for (const { following, reports } of reported) columns.push(...reportedColumns(following, reports));
  const names = sql.join(columns.map(({ column }) => sql.ref(column)));
  const followings = reported.map(({ following }) => following);
  const endpointColumns = followings.map(({ endpointColumn }) => sql`, ${sql.ref(endpointColumn)}`);
  const endpoints = followings.map(
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
