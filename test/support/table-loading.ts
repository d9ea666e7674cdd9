/** Loads records of made-up sources into tables for them, with the real flattener and loader. */

import { afterAll } from 'vitest';
import { type FlatSource, flattenOf } from '../../src/flatten/flatten.ts';
import { parseRecords } from '../../src/flatten/parse-records.ts';
import type { FlatRows } from '../../src/flatten/pending-rows.ts';
import { createSliceContent, type SliceContent } from '../../src/flatten/slice-content.ts';
import type { Day } from '../../src/model/day.ts';
import { scanItems } from '../../src/model/json-scan.ts';
import { segmentsOf } from '../../src/model/record-chunk.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import type { Slice } from '../../src/model/source.ts';
import { findKeptKeys, keptUnlessReplaced } from '../../src/pipeline/load/kept-keys.ts';
import {
  openPool,
  type Session,
  withSession,
  withTransaction,
} from '../../src/warehouse/connection/connection.ts';
import { isUniqueViolation } from '../../src/warehouse/connection/database-error.ts';
import { organizationKey } from '../../src/warehouse/ledger/organization.ts';
import { openDimensionKeys } from '../../src/warehouse/load/dimension-keys.ts';
import { beginWriting, type WrittenSlice } from '../../src/warehouse/load/write-slices.ts';
import { sharedTestDatabase } from './database.ts';
import { madeUpTables } from './made-up-sources.ts';

/** The result of a load, and the gathered content with drift and rejections. */
export interface TableLoad extends WrittenSlice {
  readonly content: SliceContent;
}

/** A database with the tables of the made-up sources, and an organization. */
export interface TableLoading {
  readonly orgKey: number;
  /** Loads the records of a slice; each list in `chunks` is a chunk. */
  load(
    source: FlatSource,
    slice: Slice,
    chunks: readonly (readonly unknown[])[],
    maxDeletedShare?: number,
  ): Promise<TableLoad>;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  inSession<Found>(task: (session: Session) => Promise<Found>): Promise<Found>;
}

/** A slice of a made-up source. */
export function sliceOf(
  endpoint: string,
  scope: Slice['scope'],
  key: string,
  usageDate: Day | null = null,
): Slice {
  return { endpoint, key, scope, usageDate };
}

/** Prepares a warehouse for all tests of the file that calls it. */
export async function sharedTableLoading(): Promise<TableLoading> {
  const database = await sharedTestDatabase();
  const pool = openPool(database.url, 3);
  afterAll(() => pool.end());
  await pool.query(madeUpTables);
  const orgKey = await withSession(pool, ({ db }) => organizationKey(db, 'org_test'));
  const { signal } = new AbortController();

  return {
    orgKey,
    async load(source, slice, chunks, maxDeletedShare) {
      const { tables } = flattenOf(source);
      const keys = openDimensionKeys(pool, orgKey, signal);
      const rules = { duplicates: source.duplicates, maxDeletedShare: () => maxDeletedShare };
      const write = (stagesAll: boolean) =>
        withTransaction(pool, async (session): Promise<TableLoad> => {
          const content = createSliceContent(source, createSanitizer([]));
          const target = { orgKey, tables, slices: [slice] };
          const writer = await beginWriting(session, target, rules, stagesAll);
          let kept: FlatRows['kept'] = [];
          for (const records of chunks) {
            addRecords(content, records);
            const flattened = content.takeRows();
            kept = [...keptUnlessReplaced(kept, tables, flattened.rows[0]), ...flattened.kept];
            const [resolved = new Map()] = await keys.resolve(slice.endpoint, [
              { ...flattened, usageDate: slice.usageDate },
            ]);
            await writer.write([{ slice, flattened, keys: resolved }]);
          }
          const { written } = await writer.finish(await findKeptKeys(keys, tables, [{ slice, kept }]));
          const result = written.get(slice);
          if (result === undefined) throw new Error('nothing was told of the slice');
          return { ...result, content };
        });
      try {
        return await write(false);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        return write(true);
      }
    },
    query: async (text, values = []) => (await pool.query<Record<string, unknown>>(text, values)).rows,
    inSession: (task) => withSession(pool, task),
  };
}

function addRecords(content: SliceContent, records: readonly unknown[]): void {
  const bytes = Buffer.from(JSON.stringify(records));
  for (const run of segmentsOf(bytes, [...scanItems(bytes, 0)]))
    for (const parsed of parseRecords(run)) content.add(parsed, () => undefined);
}
