/** Surrogate keys of dimensions: looked up set-wise, made when new, remembered once they are committed. */
import { sql } from 'kysely';
import { type Dimension, partSeparator } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';

/** Keys that are committed, by dimension and natural key. Shared by all slices of a run. */
export interface KeyCache {
  get(dimension: Dimension, naturalKey: string): number | undefined;
  /** The latest report that an attribute of this row is known to follow, as `reportOf` writes it. */
  latestReport(dimension: Dimension, key: number): string | undefined;
  remember(learned: LearnedKeys): void;
}

/** Keys and reports of dimensions that one transaction learned; to be remembered once it is committed. */
export interface LearnedKeys {
  readonly resolved: ResolvedKeys;
  readonly latestReports: LatestReports;
}

/** The report that a dimension's attribute follows, by surrogate key. */
export type LatestReports = Map<Dimension, Map<number, string>>;

/** Keys by dimension and natural key, as one transaction sees them. */
export type ResolvedKeys = Map<Dimension, Map<string, number>>;

/** A dimension's keys are forgotten together when there are more than this: memory stays flat, a look-up is cheap. */
const mostKeysRemembered = 100_000;
/** Natural keys per statement. */
const keysPerStatement = 10_000;

/** An empty cache. It belongs to one organization and one database. */
export function createKeyCache(): KeyCache {
  const keys: ResolvedKeys = new Map();
  const latestReports: LatestReports = new Map();
  return {
    get: (dimension, naturalKey) => keys.get(dimension)?.get(naturalKey),
    latestReport: (dimension, key) => latestReports.get(dimension)?.get(key),
    remember(learned) {
      addBounded(keys, learned.resolved);
      addBounded(latestReports, learned.latestReports);
    },
  };
}

function addBounded<Key, Value>(
  known: Map<Dimension, Map<Key, Value>>,
  added: ReadonlyMap<Dimension, ReadonlyMap<Key, Value>>,
): void {
  for (const [dimension, entries] of added) {
    const ofDimension = known.get(dimension) ?? new Map<Key, Value>();
    if (ofDimension.size + entries.size > mostKeysRemembered) ofDimension.clear();
    for (const [key, value] of entries) ofDimension.set(key, value);
    known.set(dimension, ofDimension);
  }
}

/**
 * The key of each of `naturalKeys`, in their order. Inserts what is new, in an order that is the same for every
 * transaction, so that two of them cannot wait for each other. What the cache did not know is added to `learned`.
 */
export async function resolveKeys(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  naturalKeys: readonly string[],
  cache: KeyCache,
  learned: ResolvedKeys,
): Promise<Int32Array> {
  const ofDimension = learned.get(dimension) ?? new Map<string, number>();
  const keys = new Int32Array(naturalKeys.length);
  const unknown = new Set<string>();
  for (let index = 0; index < naturalKeys.length; index++) {
    const naturalKey = naturalKeys[index] ?? '';
    const key = cache.get(dimension, naturalKey) ?? ofDimension.get(naturalKey);
    if (key === undefined) unknown.add(naturalKey);
    else keys[index] = key;
  }
  if (unknown.size === 0) return keys;
  learned.set(dimension, ofDimension);
  await learn(db, orgKey, dimension, [...unknown].sort(), ofDimension);
  for (const [index, naturalKey] of naturalKeys.entries())
    if (unknown.has(naturalKey)) keys[index] = ofDimension.get(naturalKey) ?? noKey(dimension, naturalKey);
  return keys;
}

function noKey(dimension: Dimension, naturalKey: string): never {
  throw new TypeError(`${dimension.table}: no key was resolved for ${JSON.stringify(naturalKey)}`);
}

async function learn(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  unknown: readonly string[],
  keys: Map<string, number>,
): Promise<void> {
  for (let start = 0; start < unknown.length; start += keysPerStatement) {
    const part = unknown.slice(start, start + keysPerStatement);
    const missing = await lookUp(db, orgKey, dimension, part, keys);
    if (missing.length === 0) continue;
    await insertMissing(db, orgKey, dimension, missing);
    await lookUp(db, orgKey, dimension, missing, keys);
  }
}

/** Adds the keys that exist to `keys`; returns the natural keys that have none. */
async function lookUp(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  naturalKeys: readonly string[],
  keys: Map<string, number>,
): Promise<string[]> {
  const parts = sql.join(partAliases(dimension).map((alias) => sql.ref(`wanted.${alias}`)));
  const ofOrganization = dimension.perOrganization ? sql`and d.org_key = ${orgKey}` : sql``;
  const { rows } = await sql<{ position: string; key: number }>`
    select wanted.position, d.${sql.ref(dimension.key)} as key
    from ${wantedKeys(dimension, naturalKeys)}
    join ${sql.table(`warehouse.${dimension.table}`)} as d
      on d.natural_key_digest = warehouse.natural_key_digest(${parts}) ${ofOrganization}
  `.execute(db);
  const found = new Set<number>();
  for (const { position, key } of rows) {
    const index = Number(position) - 1;
    const naturalKey = naturalKeys[index];
    if (naturalKey === undefined) continue;
    keys.set(naturalKey, key);
    found.add(index);
  }
  return found.size === naturalKeys.length ? [] : naturalKeys.filter((_, index) => !found.has(index));
}

async function insertMissing(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  naturalKeys: readonly string[],
): Promise<void> {
  const columns = dimension.naturalKey.map((column) => sql.ref(column));
  const parts = partAliases(dimension).map((alias) => sql.ref(`wanted.${alias}`));
  const org = dimension.perOrganization;
  await sql`
    insert into ${sql.table(`warehouse.${dimension.table}`)}
      (${sql.join(org ? [sql.ref('org_key'), ...columns] : columns)})
    select ${sql.join(org ? [sql`${orgKey}::integer`, ...parts] : parts)}
    from ${wantedKeys(dimension, naturalKeys)}
    order by wanted.position
    on conflict do nothing
  `.execute(db);
}

/** `unnest` of the natural keys: columns `part_1`, … and their `position` from 1. */
function wantedKeys(dimension: Dimension, naturalKeys: readonly string[]) {
  const split = naturalKeys.map((naturalKey) => naturalKey.split(partSeparator));
  const arrays = dimension.naturalKey.map(
    (_, part) => sql`${split.map((parts) => parts[part] ?? '')}::text[]`,
  );
  const aliases = partAliases(dimension).map((alias) => sql.ref(alias));
  return sql`unnest(${sql.join(arrays)}) with ordinality as wanted (${sql.join([...aliases, sql.ref('position')])})`;
}

function partAliases(dimension: Dimension): string[] {
  return dimension.naturalKey.map((_, part) => `part_${part + 1}`);
}
