/**
 * Surrogate keys of dimensions: looked up set-wise, made when new, remembered for the rest of the run. Every statement
 * commits at once, before the rows that need the key: a transaction of rows makes no dimension row, so that none
 * waits for another one. A dimension row without a fact is harmless, whatever becomes of those rows.
 */
import { sql } from 'kysely';
import PQueue from 'p-queue';
import type pg from 'pg';
import type { Batch } from '../../flatten/pending-rows.ts';
import { type Dimension, partSeparator } from '../../model/table.ts';
import { type Database, isUniqueViolation, withSession } from '../connection/connection.ts';
import { retryOnConnectionLoss } from '../connection/reconnect.ts';
import { type Dated, followReports, reportOf } from './latest-attribute.ts';

/** The surrogate key of each name of a batch, per dimension. */
export type KeysOfNames = ReadonlyMap<Dimension, Int32Array>;

/** Names of a slice, and what it reports of them. */
export interface NamesOfSlice extends Pick<Batch, 'names' | 'observed'> {
  readonly usageDate: string | null;
}

/** Finds and makes keys for one organization. One writer at a time, on a connection of its own. */
export interface DimensionKeys {
  /**
   * The keys of all names of batches of one source; makes those that are new. An attribute that follows the newest
   * report follows these reports.
   */
  resolve(endpoint: string, batches: readonly NamesOfSlice[]): Promise<KeysOfNames[]>;
  /** The keys of those natural keys that have one. */
  find(dimension: Dimension, naturalKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** A dimension's keys are forgotten together when there are more than this: memory stays flat, a look-up is cheap. */
const mostKeysRemembered = 100_000;
/** Natural keys per statement. */
const keysPerStatement = 10_000;

/** What is known of a dimension's rows. */
class KnownRows {
  /** Whether all rows are known, so that a name that is not has no row; undefined before the first look. */
  isWhole: boolean | undefined;
  readonly keys = new Map<string, number>();
  /** The latest report that an attribute of the row is known to follow, as `reportOf` writes it. */
  readonly reports = new Map<string, string>();

  remember(naturalKey: string, key: number): void {
    if (this.keys.size >= mostKeysRemembered) {
      this.keys.clear();
      this.reports.clear();
      this.isWhole = false;
    }
    this.keys.set(naturalKey, key);
  }
}

/** Opens the keys of an organization. `signal` ends waits for a lost database. */
export function openDimensionKeys(pool: pg.Pool, orgKey: number, signal: AbortSignal): DimensionKeys {
  const known = new Map<Dimension, KnownRows>();
  const queue = new PQueue({ concurrency: 1 });

  function knownOf(dimension: Dimension): KnownRows {
    const rows = known.get(dimension) ?? new KnownRows();
    known.set(dimension, rows);
    return rows;
  }

  function run<Found>(work: (db: Database) => Promise<Found>): Promise<Found> {
    const attempt = () => withSession(pool, ({ db }) => work(db));
    return retryOnConnectionLoss(signal, async () => {
      try {
        return await attempt();
      } catch (error) {
        // A name that was made before its answer got lost: now it is looked up.
        if (isUniqueViolation(error)) return attempt();
        throw error;
      }
    });
  }

  async function resolveDimension(
    dimension: Dimension,
    endpoint: string,
    batches: readonly NamesOfSlice[],
  ): Promise<Int32Array[]> {
    const rows = knownOf(dimension);
    if (rows.isWhole === undefined) await run((db) => readWhole(db, orgKey, dimension, rows));
    const reports = latestReports(dimension, endpoint, batches, rows);
    const unknown = new Set<string>();
    const found = batches.map(({ names }) => {
      const ofBatch = names.get(dimension) ?? [];
      const keys = new Int32Array(ofBatch.length);
      for (let index = 0; index < ofBatch.length; index++) {
        const name = ofBatch[index] ?? '';
        const key = rows.keys.get(name);
        if (key === undefined) unknown.add(name);
        else keys[index] = key;
      }
      return keys;
    });
    if (unknown.size === 0 && reports.size === 0) return found;
    const made = new Map<string, number>();
    // What is remembered may be forgotten while others are made.
    for (const name of reports.keys()) {
      const key = rows.keys.get(name);
      if (key !== undefined) made.set(name, key);
    }
    await run((db) => learn(db, { orgKey, dimension, endpoint }, [...unknown].sort(), reports, made, rows));
    if (unknown.size > 0)
      for (const [position, { names }] of batches.entries())
        for (const [index, name] of (names.get(dimension) ?? []).entries())
          if (unknown.has(name))
            (found[position] ?? new Int32Array())[index] = made.get(name) ?? noKey(dimension, name);
    return found;
  }

  return {
    resolve: (endpoint, batches) =>
      // One after the other, so that none asks for a name that another one makes.
      queue.add(async () => {
        const keys = batches.map(() => new Map<Dimension, Int32Array>());
        for (const dimension of new Set(batches.flatMap(({ names }) => [...names.keys()]))) {
          const resolved = await resolveDimension(dimension, endpoint, batches);
          for (const [index, ofBatch] of resolved.entries()) keys[index]?.set(dimension, ofBatch);
        }
        return keys;
      }),
    find: (dimension, naturalKeys) =>
      queue.add(async () => {
        const found = new Map<string, number>();
        await run((db) => lookUp(db, orgKey, dimension, naturalKeys, (name, key) => found.set(name, key)));
        return found;
      }),
  };
}

function noKey(dimension: Dimension, naturalKey: string): never {
  throw new TypeError(`${dimension.table}: no key was resolved for ${JSON.stringify(naturalKey)}`);
}

/** The newest report of each name, of those that are not known to follow a later one. */
function latestReports(
  dimension: Dimension,
  endpoint: string,
  batches: readonly NamesOfSlice[],
  rows: KnownRows,
): Map<string, Dated> {
  const reports = new Map<string, Dated>();
  for (const { names, observed, usageDate } of batches) {
    const [ofBatch = [], values] = [names.get(dimension), observed.get(dimension)];
    if (values === undefined || usageDate === null) continue;
    const report = reportOf(usageDate, endpoint);
    for (let number = 0; number < values.length; number++) {
      const [name, value] = [ofBatch[number], values[number]];
      if (name === undefined || value === undefined || (rows.reports.get(name) ?? '') > report) continue;
      if ((reports.get(name)?.usageDate ?? '') <= usageDate) reports.set(name, { value, usageDate });
    }
  }
  return reports;
}

/** Where keys are learned. */
interface Target {
  readonly orgKey: number;
  readonly dimension: Dimension;
  readonly endpoint: string;
}

/** Adds the keys of `unknown` to `made`, which has all others, and lets attributes follow `reports`. */
async function learn(
  db: Database,
  target: Target,
  unknown: readonly string[],
  reports: ReadonlyMap<string, Dated>,
  made: Map<string, number>,
  rows: KnownRows,
): Promise<void> {
  const { orgKey, dimension, endpoint } = target;
  const followed = new Set<string>();
  const note = (name: string, key: number) => {
    made.set(name, key);
    rows.remember(name, key);
  };
  for (let start = 0; start < unknown.length; start += keysPerStatement) {
    const part = unknown.slice(start, start + keysPerStatement);
    if (rows.isWhole !== true) await lookUp(db, orgKey, dimension, part, note);
    const missing = part.filter((name) => !made.has(name));
    if (missing.length === 0) continue;
    try {
      await insert(db, target, missing, reports, (name, key) => {
        note(name, key);
        followed.add(name);
      });
    } catch (error) {
      // They may have been made all the same: whoever tries again must look.
      rows.isWhole = false;
      throw error;
    }
    // Another organization's run may have made one of them meanwhile.
    const others = missing.filter((name) => !made.has(name));
    await lookUp(db, orgKey, dimension, others, note);
  }
  const toFollow = new Map<number, Dated>();
  for (const [name, report] of reports) {
    const key = made.get(name);
    if (key !== undefined && !followed.has(name)) toFollow.set(key, report);
  }
  await followReports(db, dimension, toFollow, endpoint);
  for (const [name, { usageDate }] of reports) rows.reports.set(name, reportOf(usageDate, endpoint));
}

/** Reads all keys of a dimension, unless they are more than are remembered: one scan instead of many look-ups. */
async function readWhole(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  known: KnownRows,
): Promise<void> {
  const names = dimension.naturalKey.map((column) => sql.ref(column));
  const { rows } = await sql<Record<string, string> & { key: number }>`
    select ${sql.ref(dimension.key)} as key, ${sql.join(names)}
    from ${sql.table(`warehouse.${dimension.table}`)}
    ${dimension.perOrganization ? sql`where org_key = ${orgKey}` : sql``}
    limit ${mostKeysRemembered + 1}
  `.execute(db);
  known.isWhole = rows.length <= mostKeysRemembered;
  if (known.isWhole) for (const row of rows) known.keys.set(naturalKeyOf(dimension, row), row.key);
}

function naturalKeyOf({ naturalKey }: Dimension, row: Readonly<Record<string, string | number>>): string {
  return naturalKey.map((column) => row[column] ?? '').join(partSeparator);
}

/** Tells the keys that exist; returns how many. */
async function lookUp(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  naturalKeys: readonly string[],
  onFound: (naturalKey: string, key: number) => void,
): Promise<number> {
  if (naturalKeys.length === 0) return 0;
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
  for (const { position, key } of rows) onFound(naturalKeys[Number(position) - 1] ?? '', key);
  return rows.length;
}

/**
 * Inserts names with what is reported of them, in one order for all runs; tells the keys that it made. Those of one
 * organization are this run's alone, and need no look at what others make, which takes half as long again.
 */
async function insert(
  db: Database,
  { orgKey, dimension, endpoint }: Target,
  naturalKeys: readonly string[],
  reports: ReadonlyMap<string, Dated>,
  onMade: (naturalKey: string, key: number) => void,
): Promise<void> {
  const { latestAttribute: attribute, perOrganization } = dimension;
  const split = naturalKeys.map((naturalKey) => naturalKey.split(partSeparator));
  const columns = [...dimension.naturalKey];
  const arrays = dimension.naturalKey.map((_, part) => sql`${split.map((each) => each[part] ?? '')}::text[]`);
  if (attribute !== undefined) {
    const dated = naturalKeys.map((name) => reports.get(name));
    columns.push(attribute, `${attribute}_date`, `${attribute}_endpoint`);
    arrays.push(
      sql`${dated.map((report) => report?.value ?? null)}::text[]`,
      sql`${dated.map((report) => report?.usageDate ?? null)}::date[]`,
      sql`${dated.map((report) => (report === undefined ? null : endpoint))}::text[]`,
    );
  }
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const { rows } = await sql<Record<string, string> & { key: number }>`
    insert into ${sql.table(`warehouse.${dimension.table}`)}
      (${perOrganization ? sql`org_key, ` : sql``}${names})
    select ${perOrganization ? sql`${orgKey}::integer, ` : sql``}${names}
    from unnest(${sql.join(arrays)}) as reported (${names})
    ${perOrganization ? sql`` : sql`on conflict do nothing`}
    returning ${sql.ref(dimension.key)} as key, ${sql.join(dimension.naturalKey.map((column) => sql.ref(column)))}
  `.execute(db);
  for (const row of rows) onMade(naturalKeyOf(dimension, row), row.key);
}

function partAliases(dimension: Dimension): string[] {
  return dimension.naturalKey.map((_, part) => `part_${part + 1}`);
}
