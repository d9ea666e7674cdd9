/** Takes forgotten persons out of what is stored, and lets a run keep them out of what it loads. */
import type pg from 'pg';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { PersonColumn } from '../../model/person-places.ts';
import { rewriteChunkIfChanged } from '../../model/record-chunk.ts';
import type { OnRunEvent } from '../../model/run.ts';
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
import { takeAddresses } from '../../warehouse/forgetting/take-addresses.ts';
import { renameInCreditLimits } from '../../warehouse/removal/limit-emails.ts';
import { addressesIn } from './plan-forgetting.ts';
import { withOwners } from './read-owners.ts';

/** What forgetting needs. */
export interface Forgetting {
  readonly pool: pg.Pool;
  readonly persons: ForgottenPersons;
  readonly signal: AbortSignal;
  /** Hears of users who were forgotten because they came with an address that somebody asked for. */
  readonly onEvent: OnRunEvent;
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
export async function keepLearned({ pool, persons, signal, onEvent }: Forgetting): Promise<void> {
  const learned = persons.takeLearned();
  const drawnIn = persons.takeDrawnIn();
  if (learned.length > 0)
    await retryOnConnectionLoss(pool, signal, () =>
      withSession(pool, ({ db }) => keepForgotten(db, learned)),
    );
  if (drawnIn > 0) onEvent({ type: 'persons-drawn-in', users: drawnIn });
}

/**
 * Rewrites all that names a forgotten person, of these organizations and of none, until nothing new is found: users who
 * have an address that was asked for, and addresses of forgotten users. It may be repeated, wherever it was interrupted.
 * The caller holds the locks of the organizations.
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
    await settleNewAddresses(forgetting);
    for (const orgKey of orgKeys) {
      const archive = await retryOnConnectionLoss(pool, signal, () =>
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
    for (const table of personPlaces.tables) {
      const taking = {
        pool,
        orgKeys,
        addressBeside: (userId: string, email: string) => persons.addressBeside(userId, email),
        nameOf: (userId: string) => persons.inUserId(userId),
        beforeWriting,
        signal,
      };
      const count = await retryOnConnectionLoss(pool, signal, () => takeAddresses(taking, table));
      if (count > 0) changed.add(table.table);
      rows += count;
    }
    const rewrite = (text: string, kind: PersonColumn['kind']) => {
      if (kind === 'json') return persons.inJsonText(text);
      return kind === 'user_id' ? persons.inUserId(text) : persons.inText(text);
    };
    for (const orgKey of orgKeys) {
      const count = await retryOnConnectionLoss(pool, signal, () =>
        withTransaction(pool, ({ db }) => renameInCreditLimits(db, orgKey, (email) => persons.inText(email))),
      );
      if (count > 0) for (const table of limitTables) changed.add(table);
      rows += count;
    }
    for (const column of personPlaces.columns) {
      const count = await retryOnConnectionLoss(pool, signal, () =>
        rewriteColumn({ pool, orgKeys, rewrite, beforeWriting, signal }, column),
      );
      if (count > 0) changed.add(column.table);
      rows += count;
    }
    await beforeWriting();
  }
  const tables = [...new Set(personPlaces.columns.map(({ table }) => table))];
  const isNamed = (value: string) => persons.inText(value) !== value;
  const remembered = await retryOnConnectionLoss(pool, signal, () =>
    renewStatistics(pool, tables, [...changed], isNamed),
  );
  await withSession(pool, ({ db }) => recordSearch(db, orgKeys, persons.size));
  return { rows, chunks, removed, remembered };
}

/** Who has an address that was asked for, and which addresses forgotten users have, until nothing new is found. */
async function learnPairs({ pool, persons, signal }: Forgetting): Promise<void> {
  for (let known = -1; known !== persons.size; ) {
    known = persons.size;
    for (const table of personPlaces.tables)
      await retryOnConnectionLoss(pool, signal, () =>
        readPairs(pool, table, ({ userId, email }) => persons.noteBeside(userId, email)),
      );
  }
}

/** Finds out whether anybody else ever had the addresses that forgotten users came with. */
async function settleNewAddresses(forgetting: Forgetting): Promise<void> {
  const { pool, persons, signal } = forgetting;
  if (!persons.hasNewAddresses) return;
  await withOwners(pool, signal, (each) =>
    each((owner) => {
      for (const address of addressesIn(owner)) persons.noteUseOfNew(owner.userId, address);
    }),
  );
  persons.withholdNewAddresses();
  await keepLearned(forgetting);
}

/**
 * Does what is still to be done of an organization: somebody was forgotten while another run held its lock, or the
 * program ended in the middle. Costs next to nothing where there is nothing to do, and then gives undefined.
 */
export async function forgetPending(forgetting: Forgetting, orgKey: number): Promise<Forgotten | undefined> {
  const { pool, persons, signal } = forgetting;
  await keepLearned(forgetting);
  const isPending = await retryOnConnectionLoss(pool, signal, () =>
    withSession(
      pool,
      async ({ db }) => (await readForgotten(db, persons)) && (await isSearchPending(db, orgKey)),
    ),
  );
  return isPending ? forgetStored(forgetting, [orgKey]) : undefined;
}
