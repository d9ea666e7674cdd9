/** Loads answers of the platform with the real loader, for one organization in a new database. */
import type pg from 'pg';
import { afterAll } from 'vitest';
import { flattenOf } from '../../src/flatten/flatten.ts';
import type { Day } from '../../src/model/day.ts';
import { ForgottenPersons } from '../../src/model/forgotten-persons.ts';
import { scanItems } from '../../src/model/json-scan.ts';
import { segmentsOf } from '../../src/model/record-chunk.ts';
import type { LoadOutcome, RunEvent } from '../../src/model/run.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { sliceOf } from '../../src/model/source.ts';
import { loadReceipts } from '../../src/pipeline/load/load.ts';
import type { LoadContext } from '../../src/pipeline/load/load-context.ts';
import { unchanged } from '../../src/pipeline/load/recognize.ts';
import { buildReceipt, type Receipt } from '../../src/pipeline/receive/receipt.ts';
import { createReceivedMemory } from '../../src/pipeline/runs/received-memory.ts';
import { sources } from '../../src/sources/registry.ts';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../src/warehouse/ledger/organization.ts';
import { openRun } from '../../src/warehouse/ledger/run-ledger.ts';
import { readLedger } from '../../src/warehouse/ledger/slice-ledger.ts';
import { openDimensionKeys } from '../../src/warehouse/load/dimension-keys.ts';
import { createTestDatabase } from './database.ts';
import { sampleDay, sourceOf } from './samples.ts';

/** A warehouse with one organization and an open run. */
export interface SliceLoading {
  readonly context: LoadContext;
  readonly pool: pg.Pool;
  /** Loads an answer with the records of one slice; `options` replaces parts of the context. Throws when the load fails. */
  load(endpoint: string, rows: readonly unknown[], options?: LoadOptions): Promise<LoadOutcome>;
  /** Like `load`, for records that are JSON text already. */
  loadText(endpoint: string, rows: string, options?: LoadOptions): Promise<LoadOutcome>;
  /** Deletes everything that was loaded, except names and the organization. */
  clear(): Promise<void>;
  /** The rows of a query. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Opens a new migrated database; `through` may put a proxy before it: it gets the URL and returns the one to use. */
export async function startSliceLoading(
  through: (url: string) => Promise<string> = async (url) => url,
): Promise<SliceLoading> {
  const database = await createTestDatabase();
  const pool = openPool(await through(database.url), 7);
  const { orgKey, runId } = await withSession(pool, async (session) => ({
    orgKey: await organizationKey(session.db, 'org_test'),
    runId: await openRun(session, 'test', {}, 'test'),
  }));
  const { signal } = new AbortController();
  const context: LoadContext = {
    pool,
    orgKey,
    runId,
    keys: openDimensionKeys(pool, orgKey, signal),
    ledger: new Map(),
    force: false,
    allowEmpty: false,
    archives: true,
    maxRejectedShare: 0.5,
    maxDeletedShare: 1,
    listRows: 50_000,
    withholdsEmails: false,
    signal,
    onEvent: () => undefined,
    redact: createSanitizer([]),
    onWithoutRows: () => undefined,
  };
  let { keys } = context;

  async function loadBytes(
    endpoint: string,
    rows: string,
    { day = sampleDay, changes = {}, chunkBytes = 4_000_000 }: LoadOptions = {},
  ): Promise<LoadOutcome> {
    const source = sourceOf(endpoint);
    const receipt = await receiptOf(rows, endpoint, day, chunkBytes);
    let outcome: LoadOutcome | undefined;
    let failure: unknown;
    const onEvent = (event: RunEvent) => {
      if (event.type === 'slice-done') outcome = event.outcome;
      if (event.type === 'slice-failed') failure = event.error;
    };
    const onWithoutRows = (_: unknown, deleted: number) => {
      outcome = { ...unchanged, result: 'pending', deleted };
    };
    const ledger = await withSession(pool, ({ db }) => readLedger(db, orgKey));
    await loadReceipts({ ...context, keys, ledger, onEvent, onWithoutRows, ...changes }, source, [receipt]);
    await receipt.release();
    if (outcome === undefined) throw failure ?? new Error('nothing was told of the slice');
    return outcome;
  }

  return {
    context,
    pool,
    loadText: loadBytes,
    load: (endpoint, rows, options) => loadBytes(endpoint, JSON.stringify(rows), options),
    async clear() {
      keys = openDimensionKeys(pool, orgKey, signal);
      const facts = sources.flatMap((source) =>
        flattenOf(source).tables.map(({ name }) => `warehouse.${name}`),
      );
      const ledger = ['etl.slice', 'etl.drift', 'etl.rejected_row', 'etl.raw_slice'];
      // `truncate` takes ten times as long for so many small tables.
      await pool.query(`
        ${[...facts, ...ledger].map((table) => `delete from ${table};`).join('\n')}
        update warehouse.dim_user set user_email = null, user_email_date = null, user_email_endpoint = null
        where user_email is not null`);
    },
    query: async (text, values = []) => (await pool.query<Record<string, unknown>>(text, values)).rows,
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

/** A database for all tests of the file that calls this. It is closed after them. */
export async function sharedSliceLoading(): Promise<SliceLoading> {
  const loading = await startSliceLoading();
  afterAll(() => loading.close());
  return loading;
}

interface LoadOptions {
  readonly day?: Day;
  readonly changes?: Partial<LoadContext>;
  /** Bytes of records in a chunk. */
  readonly chunkBytes?: number;
}

/** The receipt of an answer whose records are the JSON array `rows`, in chunks of about `chunkBytes`. */
export async function receiptOf(
  rows: string,
  endpoint: string,
  day: Day,
  chunkBytes = 4_000_000,
): Promise<Receipt> {
  const source = sourceOf(endpoint);
  const memory = createReceivedMemory(0, `${process.env.TMPDIR ?? '/tmp'}/usage-etl-tests`);
  const builder = buildReceipt(source, sliceOf(source, day), {
    chunkBytes,
    memory,
    persons: new ForgottenPersons(),
  });
  const bytes = Buffer.from(rows);
  // Each record is added by itself, as if it had come on its own page.
  for (const record of scanItems(bytes, 0)) await builder.add(segmentsOf(bytes, [record]));
  return builder.finish();
}
