/** One organization in a database of its own, and answers of the platform loaded into it by the real loader. */

import PQueue from 'p-queue';
import type pg from 'pg';
import { Answer } from '../../src/extract/answer.ts';
import { openEnvelope, type Page } from '../../src/extract/envelope.ts';
import { flattenOf } from '../../src/flatten/flatten.ts';
import type { Day } from '../../src/model/day.ts';
import type { StoredSlice } from '../../src/model/run.ts';
import { gatherSlice } from '../../src/pipeline/gathered-slice.ts';
import type { StoreContext } from '../../src/pipeline/store-context.ts';
import { storeSlice } from '../../src/pipeline/store-slice.ts';
import { sources } from '../../src/sources/registry.ts';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../src/warehouse/ledger/organization.ts';
import { openRun } from '../../src/warehouse/ledger/run-ledger.ts';
import { ledgerKey, readLedger } from '../../src/warehouse/ledger/slice-ledger.ts';
import { createKeyCache } from '../../src/warehouse/load/dimension-keys.ts';
import { createTestDatabase } from './database.ts';
import { sampleDay, sourceOf } from './samples.ts';

/** A warehouse with one organization and an open run. */
export interface SliceLoading {
  readonly context: StoreContext;
  readonly pool: pg.Pool;
  /** Loads one answer that holds the rows of one slice; `changes` replaces parts of the context. */
  load(
    endpoint: string,
    rows: readonly unknown[],
    options?: { day?: Day; changes?: Partial<StoreContext> },
  ): Promise<StoredSlice>;
  /** The same for rows that are JSON text already. */
  loadText(endpoint: string, rows: string, day?: Day, changes?: Partial<StoreContext>): Promise<StoredSlice>;
  /** Forgets everything that was loaded, names and organization aside. */
  clear(): Promise<void>;
  /** The rows of a query. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Opens a migrated database of its own; `url` takes another way to it, such as through a proxy. */
export async function startSliceLoading(
  through: (url: string) => Promise<string> = async (url) => url,
): Promise<SliceLoading> {
  const database = await createTestDatabase();
  const pool = openPool(await through(database.url), 6);
  const { orgKey, runId } = await withSession(pool, async (session) => ({
    orgKey: await organizationKey(session.db, 'org_test'),
    runId: await openRun(session, 'test', {}, 'test'),
  }));
  let keyCache = createKeyCache();
  const context: StoreContext = {
    pool,
    orgKey,
    runId,
    keyCache,
    settling: new PQueue({ concurrency: 1 }),
    yesterday: '2026-03-20',
    allowEmpty: false,
    skipUnchanged: true,
    replacesArchive: true,
    maxRejectedShare: 0.5,
    signal: new AbortController().signal,
  };

  async function loadText(
    endpoint: string,
    rows: string,
    day = sampleDay,
    changes: Partial<StoreContext> = {},
  ): Promise<StoredSlice> {
    const source = sourceOf(endpoint);
    const gathered = gatherSlice(source, day, { appVersion: 'test', keepRaw: true });
    gathered.addPage(pageOf(rows, day));
    const ledger = await withSession(pool, ({ db }) => readLedger(db, orgKey));
    return storeSlice({ ...context, keyCache, ...changes }, gathered, ledger.get(ledgerKey(endpoint, day)));
  }

  return {
    context,
    pool,
    loadText,
    load: (endpoint, rows, { day, changes } = {}) => loadText(endpoint, JSON.stringify(rows), day, changes),
    async clear() {
      keyCache = createKeyCache();
      const facts = sources.flatMap((source) =>
        flattenOf(source).tables.map(({ name }) => `warehouse.${name}`),
      );
      const ledger = ['etl.slice', 'etl.drift', 'etl.rejected_row', 'etl.raw_slice'];
      // Truncating so many small tables takes ten times as long.
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

/** An answer for one day whose `data` is the given JSON text. */
export function pageOf(rows: string, day: Day): Page {
  const text = `{"data":${rows},"meta":{"org_id":"org_test","start_date":"${day}","end_date":"${day}"}}`;
  return openEnvelope(new Answer(Buffer.from(text)), { from: day, to: day });
}
