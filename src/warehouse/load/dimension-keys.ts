/**
 * Surrogate keys of dimensions. They are looked up many at a time, created for new names, and remembered for the rest
 * of the run. Each statement commits at once, before the transaction of the facts begins, so that no load waits for
 * keys that another load creates. If the facts are not loaded, a dimension row without facts remains: it does no harm.
 */
import PQueue from 'p-queue';
import type pg from 'pg';
import type { FlatRows } from '../../flatten/pending-rows.ts';
import type { Dimension } from '../../model/table.ts';
import { type Database, withSession } from '../connection/connection.ts';
import { isUniqueViolation } from '../connection/database-error.ts';
import { retryOnConnectionLoss } from '../connection/reconnect.ts';
import { charactersOf, type Dated, followReports, recencyOf, reportedOf } from './attributes.ts';
import { insertRows, type KeyTarget, lookUpKeys, readAllKeys } from './dimension-rows.ts';
import { KnownRows } from './known-rows.ts';
import { identityOf } from './natural-key.ts';
import { statementBatches } from './statement-batches.ts';

/** The surrogate key of each name in the flat rows of a slice, per dimension. */
export type KeysOfNames = ReadonlyMap<Dimension, Int32Array>;

/** Names of a slice, and the attributes that it reports for them. */
export interface NamesOfSlice extends Pick<FlatRows, 'names' | 'observed'> {
  readonly usageDate: string | null;
}

/** Finds and creates keys for one organization. Calls are queued, and use a connection of their own. */
export interface DimensionKeys {
  /** The keys of all names of slices of one source; creates missing ones and updates attributes. */
  resolve(endpoint: string, slices: readonly NamesOfSlice[]): Promise<KeysOfNames[]>;
  /** The surrogate keys of those natural keys that have a row. */
  find(dimension: Dimension, naturalKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/**
 * Most rows of a dimension that are remembered. When there are more, all of them are forgotten and looked up again: this
 * bounds the memory, and a look-up is cheap.
 */
const mostRowsRemembered = 250_000;

/** Reported attributes, by the number of a row. */
type Reports = Map<number, Dated>;

/**
 * Opens the keys of an organization. `signal` ends waits for a lost connection. `shared` remembers the keys of dimensions
 * that all organizations share, for all runs of the process.
 */
export function openDimensionKeys(
  pool: pg.Pool,
  orgKey: number,
  signal: AbortSignal,
  shared = new Map<Dimension, KnownRows>(),
): DimensionKeys {
  const own = new Map<Dimension, KnownRows>();
  const queue = new PQueue({ concurrency: 1 });

  async function knownOf(dimension: Dimension): Promise<KnownRows> {
    const known = dimension.perOrganization ? own : shared;
    const before = known.get(dimension);
    if (before !== undefined && before.size <= mostRowsRemembered) return before;
    const rows = new KnownRows(dimension);
    // A dimension is read as a whole once, and not again after its rows were forgotten. A dimension that organizations
    // share is looked up name by name, because it also has the rows of all other organizations.
    const all =
      before === undefined && dimension.perOrganization
        ? await run((db) => readAllKeys(db, orgKey, dimension, mostRowsRemembered))
        : undefined;
    rows.isWhole = all !== undefined;
    for (const [identity, key] of all ?? []) rows.setKey(rows.numberOf(identity), key);
    known.set(dimension, rows);
    return rows;
  }

  function run<Found>(work: (db: Database) => Promise<Found>): Promise<Found> {
    const attempt = () => withSession(pool, ({ db }) => work(db), 'second');
    return retryOnConnectionLoss(pool, signal, async () => {
      try {
        return await attempt();
      } catch (error) {
        // An earlier attempt inserted the row, and only its answer was lost: another attempt finds the row.
        if (isUniqueViolation(error)) return attempt();
        throw error;
      }
    });
  }

  async function resolveDimension(
    dimension: Dimension,
    endpoint: string,
    slices: readonly NamesOfSlice[],
  ): Promise<Int32Array[]> {
    const rows = await knownOf(dimension);
    const unknown = new Map<number, string>();
    const numbers = slices.map(({ names }) => {
      const ofSlice = names.get(dimension) ?? [];
      const numbered = new Int32Array(ofSlice.length);
      for (let index = 0; index < ofSlice.length; index++) {
        const name = ofSlice[index] ?? '';
        const number = rows.numberOf(identityOf(name));
        numbered[index] = number;
        if (rows.keyOf(number) === undefined) unknown.set(number, name);
      }
      return numbered;
    });
    const reports = rows.attributeSets.map((_, attributeSet) =>
      latestReports(dimension, endpoint, slices, numbers, rows, attributeSet),
    );
    if (unknown.size > 0 || reports.some(({ size }) => size > 0))
      await run((db) => learn(db, { orgKey, dimension, endpoint }, rows, unknown, reports));
    for (const numbered of numbers)
      for (let index = 0; index < numbered.length; index++) {
        const number = numbered[index] ?? 0;
        numbered[index] = rows.keyOf(number) ?? noKey(dimension, unknown.get(number));
      }
    return numbers;
  }

  return {
    resolve: (endpoint, slices) =>
      // Calls run one at a time, so that no name is inserted twice.
      queue.add(async () => {
        const keys = slices.map(() => new Map<Dimension, Int32Array>());
        for (const dimension of new Set(slices.flatMap(({ names }) => [...names.keys()]))) {
          const resolved = await resolveDimension(dimension, endpoint, slices);
          for (const [index, ofSlice] of resolved.entries()) keys[index]?.set(dimension, ofSlice);
        }
        return keys;
      }),
    find: (dimension, naturalKeys) =>
      queue.add(async () => {
        const found = new Map<string, number>();
        await run((db) =>
          lookUpKeys(db, orgKey, dimension, naturalKeys, (index, key) =>
            found.set(naturalKeys[index] ?? '', key),
          ),
        );
        return found;
      }),
  };
}

function noKey(dimension: Dimension, naturalKey: string | undefined): never {
  throw new TypeError(`${dimension.table}: no key was resolved for ${JSON.stringify(naturalKey)}`);
}

/**
 * The newest report of each row; rows that follow a later report already are left out. `numbers` has, for each slice, the
 * numbers of its names in `rows`.
 */
function latestReports(
  dimension: Dimension,
  endpoint: string,
  slices: readonly NamesOfSlice[],
  numbers: readonly Int32Array[],
  rows: KnownRows,
  attributeSet: number,
): Reports {
  const reports: Reports = new Map();
  const attributes = rows.attributeSets[attributeSet]?.attributes ?? [];
  for (const [position, { names, observed, usageDate }] of slices.entries()) {
    const numbered = numbers[position];
    const values = attributes.map((attribute) => observed.get(attribute));
    if (usageDate === null || numbered === undefined || !names.has(dimension)) continue;
    const recency = recencyOf(usageDate, endpoint);
    for (let index = 0; index < numbered.length; index++) {
      const number = numbered[index] ?? 0;
      if (rows.recencyOf(attributeSet, number) > recency) continue;
      const reported = reportedOf(values, index);
      if (reported === undefined) continue;
      if ((reports.get(number)?.usageDate ?? '') <= usageDate)
        reports.set(number, { values: reported, usageDate });
    }
  }
  return reports;
}

/** Finds or inserts a row for each name in `unknown` (number to name), and updates its attributes as `reports` say. */
async function learn(
  db: Database,
  target: KeyTarget,
  rows: KnownRows,
  unknown: ReadonlyMap<number, string>,
  reports: readonly Reports[],
): Promise<void> {
  const { orgKey, dimension, endpoint } = target;
  const made = new Set<number>();
  type Unknown = readonly (readonly [number: number, name: string])[];
  const lookUp = async (part: Unknown) => {
    const names = part.map(([, name]) => name);
    await lookUpKeys(db, orgKey, dimension, names, (index, key) => rows.setKey(part[index]?.[0] ?? 0, key));
  };
  const withoutKey = (part: Unknown) => part.filter(([number]) => rows.keyOf(number) === undefined);
  const charactersOfRow = ([number, name]: Unknown[number]) =>
    reports.reduce((sum, ofRows) => sum + charactersOf(ofRows.get(number)?.values ?? []), name.length);
  // An earlier attempt may have inserted some of the names, so they are looked up first.
  for (const part of statementBatches(withoutKey([...unknown]), charactersOfRow)) {
    if (!rows.isWhole) await lookUp(part);
    const missing = withoutKey(part);
    if (missing.length === 0) continue;
    try {
      await insertRows(
        db,
        target,
        missing.map(([, name]) => name),
        rows.attributeSets.map((attributeSet, index) => ({
          attributeSet,
          reports: missing.map(([number]) => reports[index]?.get(number)),
        })),
        (identity, key) => {
          const number = rows.numberOf(identity);
          rows.setKey(number, key);
          made.add(number);
        },
      );
    } catch (error) {
      // The rows may have been inserted in spite of the error: the next attempt must look them up.
      rows.isWhole = false;
      throw error;
    }
    // Another organization's run may have inserted one of the missing names meanwhile.
    await lookUp(withoutKey(missing));
  }
  for (const [index, attributeSet] of rows.attributeSets.entries()) {
    const toFollow: [key: number, report: Dated][] = [];
    for (const [number, report] of reports[index] ?? []) {
      const key = rows.keyOf(number);
      if (key !== undefined && !made.has(number)) toFollow.push([key, report]);
    }
    await followReports(db, dimension, attributeSet, toFollow, endpoint);
    for (const [number, { usageDate }] of reports[index] ?? [])
      rows.setRecency(index, number, recencyOf(usageDate, endpoint));
  }
}
