/** Takes forgotten persons out of what is stored, and lets a run keep them out of what it loads. */
import type pg from 'pg';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { rewriteChunkIfChanged } from '../../model/record-chunk.ts';
import { personPlaces } from '../../sources/person-columns.ts';
import { withSession, withTransaction } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import {
  isSearchPending,
  keepForgotten,
  readForgotten,
  recordSearch,
} from '../../warehouse/forgetting/forgotten-names.ts';
import { readPairs } from '../../warehouse/forgetting/read-pairs.ts';
import { rewriteArchive } from '../../warehouse/forgetting/rewrite-archive.ts';
import { rewriteColumn } from '../../warehouse/forgetting/rewrite-columns.ts';
import { renewStatistics } from '../../warehouse/forgetting/statistics.ts';
import { renameInCreditLimits } from '../../warehouse/limits/stored-emails.ts';

/** What forgetting needs. */
export interface Forgetting {
  readonly pool: pg.Pool;
  readonly persons: ForgottenPersons;
  readonly signal: AbortSignal;
}

/** What was rewritten. */
export interface Forgotten {
  /** Rows of tables. */
  readonly rows: number;
  /** Chunks of the raw archive. */
  readonly chunks: number;
  /** Slices whose archive could not be read and was removed, as endpoint and key. */
  readonly removed: readonly string[];
  /** Columns of which the planner still remembers values. */
  readonly remembered: readonly string[];
}

/** Renamed by a function of their own: the record of limits guards itself against other changes. */
const limitTables = ['etl.credit_limit_change', 'warehouse.credit_limit'];

/** Keeps the names that came to be known: before anything that stands beside them. */
export async function keepLearned({ pool, persons, signal }: Forgetting): Promise<void> {
  const learned = persons.takeLearned();
  if (learned.length > 0)
    await retryOnConnectionLoss(signal, () => withSession(pool, ({ db }) => keepForgotten(db, learned)));
}

/**
 * Rewrites all that names a forgotten person, of these organizations and of none. Whoever is found to be the same person
 * is forgotten, too, until nothing new is found. It may be repeated, wherever it was interrupted. The caller holds the
 * locks of the organizations.
 */
export async function forgetStored(forgetting: Forgetting, orgKeys: readonly number[]): Promise<Forgotten> {
  const { pool, persons, signal } = forgetting;
  const beforeWriting = () => keepLearned(forgetting);
  const changed = new Set<string>();
  const removed: string[] = [];
  let [rows, chunks, known] = [0, 0, -1];
  while (known !== persons.size) {
    known = persons.size;
    await learnPairs(forgetting);
    for (const orgKey of orgKeys) {
      const archive = await retryOnConnectionLoss(signal, () =>
        rewriteArchive({
          pool,
          orgKey,
          signal,
          beforeWriting,
          rewrite: (payload) => rewriteChunkIfChanged(payload, (bytes) => persons.inJson(bytes)),
        }),
      );
      if (archive.chunks + archive.removed.length > 0) changed.add('etl.raw_slice');
      chunks += archive.chunks;
      removed.push(...archive.removed);
    }
    const rewrite = (text: string, kind: 'text' | 'json') =>
      kind === 'json' ? persons.inJsonText(text) : persons.inText(text);
    for (const orgKey of orgKeys) {
      const count = await retryOnConnectionLoss(signal, () =>
        withTransaction(pool, ({ db }) => renameInCreditLimits(db, orgKey, (email) => persons.inText(email))),
      );
      if (count > 0) for (const table of limitTables) changed.add(table);
      rows += count;
    }
    for (const column of personPlaces.columns) {
      const count = await retryOnConnectionLoss(signal, () =>
        rewriteColumn({ pool, orgKeys, rewrite, beforeWriting, signal }, column),
      );
      if (count > 0) changed.add(column.table);
      rows += count;
    }
    await beforeWriting();
  }
  const tables = [...new Set(personPlaces.columns.map(({ table }) => table))];
  const isNamed = (value: string) => persons.inText(value) !== value;
  const remembered = await retryOnConnectionLoss(signal, () =>
    renewStatistics(pool, tables, [...changed], isNamed),
  );
  await withSession(pool, ({ db }) => recordSearch(db, orgKeys, persons.size));
  return { rows, chunks, removed, remembered };
}

/** Rows of tables in which a forgotten name stands beside another one, until nothing new is found. */
async function learnPairs({ pool, persons, signal }: Forgetting): Promise<void> {
  for (let known = -1; known !== persons.size; ) {
    known = persons.size;
    for (const table of personPlaces.tables)
      await retryOnConnectionLoss(signal, () =>
        readPairs(pool, table, ({ userId, email }) => {
          if (email !== null) persons.noteBeside(userId, email);
        }),
      );
  }
}

/**
 * Does what is still to be done of an organization: somebody was forgotten while another run held its lock, or the
 * program ended in the middle. Costs next to nothing where there is nothing to do, and then gives undefined.
 */
export async function forgetPending(forgetting: Forgetting, orgKey: number): Promise<Forgotten | undefined> {
  const { pool, persons, signal } = forgetting;
  await keepLearned(forgetting);
  const isPending = await retryOnConnectionLoss(signal, () =>
    withSession(
      pool,
      async ({ db }) => (await readForgotten(db, persons)) && (await isSearchPending(db, orgKey)),
    ),
  );
  return isPending ? forgetStored(forgetting, [orgKey]) : undefined;
}
