/**
 * Stores days with as few statements as possible: most tables get a few rows a day, so that what a day costs is its
 * statements.
 */
import { flattenOf } from '../flatten/flatten.ts';
import type { StoredSlice } from '../model/run.ts';
import { storeRawSlices } from '../warehouse/archive/raw-archive.ts';
import { withTransaction } from '../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../warehouse/connection/reconnect.ts';
import { type Ledger, ledgerKey, recordOutcomes } from '../warehouse/ledger/slice-ledger.ts';
import { loadFreshSlices } from '../warehouse/load/fresh-slices.ts';
import type { GatheredSlice } from './gathered-slice.ts';
import { settleUnchanged, unchanged } from './settle-slice.ts';
import type { StoreContext } from './store-context.ts';
import { outcomeOf, type Part, storePart, storeSlice, takePart } from './store-slice.ts';

/** Rows after which a transaction takes no further day: what waits for it is held in memory. */
const rowsPerTransaction = 50_000;

/** A day, and what came of it. */
export interface StoredDay {
  readonly gathered: GatheredSlice;
  readonly outcome: PromiseSettledResult<StoredSlice>;
}

/** A day that the warehouse does not know, with all its rows. */
interface FreshDay {
  readonly gathered: GatheredSlice;
  readonly part: Part;
  readonly tableRows: Readonly<Record<string, number>>;
  readonly rows: number;
}

/**
 * Stores days of one source. Days that are recognized are settled together, days that are new are loaded together;
 * where that fails, and for all others, each is stored alone, so that a day that cannot be stored takes no other with
 * it. Each is told of as soon as it is stored. Throws the reason of an abort before the next one begins.
 */
export async function* storeDays(
  context: StoreContext,
  days: readonly GatheredSlice[],
  ledger: Ledger,
): AsyncGenerator<StoredDay> {
  const settled = new Set(await settleRecognized(context, days));
  for (const gathered of settled) yield { gathered, outcome: { status: 'fulfilled', value: unchanged } };
  let fresh: FreshDay[] = [];
  for (const gathered of days) {
    if (settled.has(gathered)) continue;
    context.signal.throwIfAborted();
    const before = ledger.get(ledgerKey(gathered.slice.endpoint, gathered.slice.key));
    const [taken] = await Promise.allSettled([before === undefined ? takeIfOrdinary(gathered) : undefined]);
    if (taken.status === 'rejected') yield { gathered, outcome: taken };
    else if (taken.value === undefined)
      yield { gathered, outcome: await stored(storeSlice(context, gathered, before)) };
    else {
      fresh.push(taken.value);
      if (fresh.reduce((sum, { rows }) => sum + rows, 0) < rowsPerTransaction) continue;
      yield* storeFresh(context, fresh);
      fresh = [];
    }
  }
  yield* storeFresh(context, fresh);
}

async function settleRecognized(
  context: StoreContext,
  days: readonly GatheredSlice[],
): Promise<readonly GatheredSlice[]> {
  const recognized = context.skipUnchanged ? days.filter((gathered) => gathered.isRecognized()) : [];
  if (recognized.length < 2) return [];
  try {
    return await retryOnConnectionLoss(context.signal, () => settleUnchanged(context, recognized));
  } catch {
    // Each is settled alone now, and the one that cannot be says why.
    context.signal.throwIfAborted();
    return [];
  }
}

/** Takes the rows of a day; undefined when it holds none, or something that is to be recorded beside them. */
async function takeIfOrdinary(gathered: GatheredSlice): Promise<FreshDay | undefined> {
  if (gathered.read === 0 || gathered.rejected.length > 0 || gathered.drift.length > 0) return undefined;
  const part = await takePart(gathered);
  const counts = flattenOf(gathered.source).tables.map(({ name }, index) => [
    name,
    part.batch.rows[index]?.length ?? 0,
  ]);
  const tableRows: Record<string, number> = Object.fromEntries(counts);
  return { gathered, part, tableRows, rows: Object.values(tableRows).reduce((sum, count) => sum + count, 0) };
}

async function* storeFresh(context: StoreContext, fresh: readonly FreshDay[]): AsyncGenerator<StoredDay> {
  const together = fresh.length > 1 && (await loadTogether(context, fresh));
  for (const { gathered, part, rows } of fresh) {
    if (together) {
      const value: StoredSlice = { ...unchanged, result: 'loaded', inserted: rows };
      yield { gathered, outcome: { status: 'fulfilled', value } };
    } else {
      context.signal.throwIfAborted();
      yield { gathered, outcome: await stored(storePart(context, gathered, undefined, part)) };
    }
  }
}

/** Loads days in one transaction; says whether that succeeded. */
async function loadTogether(context: StoreContext, fresh: readonly FreshDay[]): Promise<boolean> {
  const { pool, orgKey, runId, keyCache, signal } = context;
  const [first] = fresh;
  if (first === undefined) return false;
  const { tables } = flattenOf(first.gathered.source);
  const slices = fresh.map(({ gathered, part }) => ({ slice: gathered.slice, firstChunk: 0, ...part }));
  const outcomes = fresh.map(({ gathered, tableRows }) => ({
    slice: gathered.slice,
    outcome: outcomeOf(context, gathered, tableRows, true),
  }));
  try {
    const learned = await retryOnConnectionLoss(signal, () =>
      withTransaction(pool, async (session) => {
        const loaded = await loadFreshSlices(session, { orgKey, tables }, slices, keyCache);
        if (loaded === undefined) return undefined;
        await storeRawSlices(session.db, orgKey, runId, slices);
        await recordOutcomes(session.db, orgKey, outcomes);
        return loaded;
      }),
    );
    if (learned === undefined) return false;
    keyCache.remember(learned);
    return true;
  } catch {
    // Each day is stored alone now, and that of the one that cannot be stored says why.
    signal.throwIfAborted();
    return false;
  }
}

async function stored(storing: Promise<StoredSlice>): Promise<PromiseSettledResult<StoredSlice>> {
  const [outcome] = await Promise.allSettled([storing]);
  return outcome;
}
