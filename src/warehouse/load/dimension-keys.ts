/**
 * Surrogate keys of dimensions: looked up many at a time, made when new, remembered for the rest of the run. Every
 * statement commits at once, before the transaction of the rows begins. So no such transaction waits for the keys of
 * another one. When its rows are not loaded, a dimension row without a fact is left, which is harmless.
 */
import PQueue from 'p-queue';
import type pg from 'pg';
import type { Batch } from '../../flatten/pending-rows.ts';
import type { Dimension } from '../../model/table.ts';
import { type Database, isUniqueViolation, withSession } from '../connection/connection.ts';
import { retryOnConnectionLoss } from '../connection/reconnect.ts';
import {
  type Dated,
  type Following,
  followingsOf,
  followReports,
  reportedOf,
  reportOf,
} from './attributes.ts';
import { insertRows, type KeyTarget, lookUpKeys, readAllKeys } from './dimension-rows.ts';

/** The surrogate key of each name of a batch, per dimension. */
export type KeysOfNames = ReadonlyMap<Dimension, Int32Array>;

/** Names of a slice, and what it reports of them. */
export interface NamesOfSlice extends Pick<Batch, 'names' | 'observed'> {
  readonly usageDate: string | null;
}

/** Finds and makes keys for one organization. One writer at a time, on a connection of its own. */
export interface DimensionKeys {
  /** The keys of all names of batches of one source; makes those that are new. Attributes follow these reports. */
  resolve(endpoint: string, batches: readonly NamesOfSlice[]): Promise<KeysOfNames[]>;
  /** The keys of those natural keys that have one. */
  find(dimension: Dimension, naturalKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** When a dimension has more keys, all of them are forgotten: memory stays flat, and a look-up is cheap. */
const mostKeysRemembered = 100_000;
/** Natural keys per statement. */
const keysPerStatement = 10_000;

/** What is known of a dimension's rows. */
class KnownRows {
  /** Whether all rows are known: then an unknown name has no row. Undefined before the first look. */
  isWhole: boolean | undefined;
  readonly keys = new Map<string, number>();
  /** By natural key the latest report that attributes are known to follow, as `reportOf` writes it. */
  readonly reports: ReadonlyMap<Following, Map<string, string>>;

  constructor(dimension: Dimension) {
    this.reports = new Map(followingsOf(dimension).map((following) => [following, new Map()]));
  }

  /** Takes all keys that there are, if they are not too many. */
  take(all: ReadonlyMap<string, number> | undefined): void {
    this.isWhole = all !== undefined;
    for (const [naturalKey, key] of all ?? []) this.keys.set(naturalKey, key);
  }

  remember(naturalKey: string, key: number): void {
    if (this.keys.size >= mostKeysRemembered) {
      this.keys.clear();
      for (const reports of this.reports.values()) reports.clear();
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
    const rows = known.get(dimension) ?? new KnownRows(dimension);
    known.set(dimension, rows);
    return rows;
  }

  function run<Found>(work: (db: Database) => Promise<Found>): Promise<Found> {
    const attempt = () => withSession(pool, ({ db }) => work(db));
    return retryOnConnectionLoss(signal, async () => {
      try {
        return await attempt();
      } catch (error) {
        // The name was made, and only the answer got lost: now it is looked up.
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
    if (rows.isWhole === undefined)
      rows.take(await run((db) => readAllKeys(db, orgKey, dimension, mostKeysRemembered)));
    const reports = new Map(
      [...rows.reports].map(([following, known]) => [
        following,
        latestReports(dimension, following, endpoint, batches, known),
      ]),
    );
    const reported = new Set([...reports.values()].flatMap((ofNames) => [...ofNames.keys()]));
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
    if (unknown.size === 0 && reported.size === 0) return found;
    const made = new Map<string, number>();
    // What is remembered may be forgotten while others are made.
    for (const name of reported) {
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
      // One at a time: no two make the same name.
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
        await run((db) =>
          lookUpKeys(db, orgKey, dimension, naturalKeys, (name, key) => found.set(name, key)),
        );
        return found;
      }),
  };
}

function noKey(dimension: Dimension, naturalKey: string): never {
  throw new TypeError(`${dimension.table}: no key was resolved for ${JSON.stringify(naturalKey)}`);
}

/** The newest report of each name, without names that are known to follow a later one. */
function latestReports(
  dimension: Dimension,
  following: Following,
  endpoint: string,
  batches: readonly NamesOfSlice[],
  known: ReadonlyMap<string, string>,
): Map<string, Dated> {
  const reports = new Map<string, Dated>();
  for (const { names, observed, usageDate } of batches) {
    const [ofBatch = [], values] = [
      names.get(dimension),
      following.attributes.map((attribute) => observed.get(attribute)),
    ];
    if (usageDate === null) continue;
    const report = reportOf(usageDate, endpoint);
    for (let number = 0; number < ofBatch.length; number++) {
      const name = ofBatch[number] ?? '';
      if ((known.get(name) ?? '') > report) continue;
      const reported = reportedOf(values, number);
      if (reported === undefined) continue;
      if ((reports.get(name)?.usageDate ?? '') <= usageDate)
        reports.set(name, { values: reported, usageDate });
    }
  }
  return reports;
}

/** Adds the keys of `unknown` to `made`, which has all others, and lets attributes follow `reports`. */
async function learn(
  db: Database,
  target: KeyTarget,
  unknown: readonly string[],
  reports: ReadonlyMap<Following, ReadonlyMap<string, Dated>>,
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
    if (rows.isWhole !== true) await lookUpKeys(db, orgKey, dimension, part, note);
    const missing = part.filter((name) => !made.has(name));
    if (missing.length === 0) continue;
    try {
      await insertRows(db, target, missing, reports, (name, key) => {
        note(name, key);
        followed.add(name);
      });
    } catch (error) {
      // They may have been made all the same: the next try must look them up.
      rows.isWhole = false;
      throw error;
    }
    // Another organization's run may have made one of them meanwhile.
    const others = missing.filter((name) => !made.has(name));
    await lookUpKeys(db, orgKey, dimension, others, note);
  }
  for (const [following, ofNames] of reports) {
    const toFollow = new Map<number, Dated>();
    for (const [name, report] of ofNames) {
      const key = made.get(name);
      if (key !== undefined && !followed.has(name)) toFollow.set(key, report);
    }
    await followReports(db, dimension, following, toFollow, endpoint);
    const known = rows.reports.get(following);
    for (const [name, { usageDate }] of ofNames) known?.set(name, reportOf(usageDate, endpoint));
  }
}
