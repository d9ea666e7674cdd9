/** Removes forgotten persons from stored data, and keeps them out of the data that a run loads. */
import type pg from 'pg';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { OnRunEvent } from '../../model/run.ts';
import { personPlaces } from '../../sources/person-columns.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { assignById } from '../../warehouse/imports/person-assignments.ts';
import {
  isSearchPending,
  keepForgotten,
  readForgotten,
  recordSearch,
} from '../../warehouse/removal/forgotten-names.ts';
import type { RemovalRule } from '../../warehouse/removal/removal-rule.ts';
import { type Removed, removeStored } from '../../warehouse/removal/remove-stored.ts';
import { renewStatistics } from '../../warehouse/removal/statistics.ts';
import { readUsers, withStoredOwners } from '../../warehouse/removal/stored-owners.ts';
import type { OnceForAll } from '../runs/once-for-all.ts';
import { addressesIn } from './plan-forgetting.ts';

/** What forgetting needs. */
export interface Forgetting {
  readonly pool: pg.Pool;
  readonly persons: ForgottenPersons;
  readonly signal: AbortSignal;
  /** Gets the number of users who were forgotten because they have an address that somebody asked to forget. */
  readonly onEvent: OnRunEvent;
  /** Set in a process with several runs: they search the rows of all organizations once. */
  readonly shared?: { readonly forgottenSearch: OnceForAll } | undefined;
}

/** The number of rewritten rows and chunks. */
export interface Forgotten extends Omit<Removed, 'tables'> {
  /** Columns whose planner statistics still contain names of forgotten persons. */
  readonly remembered: readonly string[];
}

/** Stores the digests of newly learned names. Call it before the rows that contain these names are written. */
export async function keepLearned({ pool, persons, signal, onEvent }: Forgetting): Promise<void> {
  const learned = persons.takeLearned();
  const byAddress = persons.takeForgottenByAddress();
  if (learned.length > 0)
    await retryOnConnectionLoss(pool, signal, () =>
      withSession(pool, ({ db }) => keepForgotten(db, learned)),
    );
  if (byAddress > 0) onEvent({ type: 'forgotten-by-address', users: byAddress });
}

/**
 * Rewrites all rows that name a forgotten person, in these organizations and in tables without an organization. Does this
 * again until it finds no new user with an address to forget, and no new address of a forgotten user. After an
 * interruption the call can be repeated. The caller holds the locks of the organizations.
 */
export async function forgetStored(forgetting: Forgetting, orgKeys: readonly number[]): Promise<Forgotten> {
  const { pool, persons, signal } = forgetting;
  const rule = forgettingRule(forgetting, orgKeys);
  const changed = new Set<string>();
  const changedIn = new Set<number>();
  const removed: string[] = [];
  let [rows, chunks, known] = [0, 0, -1];
  while (known !== persons.size) {
    known = persons.size;
    await learnFromAll(forgetting);
    const pass = await removeStored(pool, personPlaces, rule, signal);
    rows += pass.rows;
    chunks += pass.chunks;
    removed.push(...pass.removed);
    for (const table of pass.tables) changed.add(table);
    for (const orgKey of pass.orgKeys) changedIn.add(orgKey);
    await keepLearned(forgetting);
  }
  const searched = personPlaces.map(({ table }) => table);
  const isNamed = (value: string) => persons.inText(value) !== value;
  const remembered = await retryOnConnectionLoss(pool, signal, () =>
    renewStatistics(pool, searched, changed, isNamed),
  );
  await withSession(pool, ({ db }) => recordSearch(db, orgKeys, persons.size));
  return { rows, chunks, removed, orgKeys: changedIn, remembered };
}

function forgettingRule(forgetting: Forgetting, orgKeys: readonly number[]): RemovalRule {
  const { persons } = forgetting;
  return {
    orgKeys,
    rewrite({ value, userId }, { kind }) {
      if (kind === 'json') return persons.inJsonText(value);
      if (kind === 'email' && userId !== null) return persons.addressBeside(userId, value);
      return kind === 'user_id' ? persons.inUserId(value) : persons.inText(value);
    },
    onSameName: 'merge',
    archive: { ifChanged: { is_rewritten: true } },
    rewriteJson: (json) => persons.inJson(json),
    beforeWriting: () => keepLearned(forgetting),
    // An assignment to a team may be stored by e-mail. Store it by user id, so that the user keeps it.
    async beforeEmailGoes({ db }, { value, userId, orgKey }) {
      if (userId !== null && orgKey !== null)
        await assignById(db, orgKey, value, userId, persons.inUserId(userId));
    },
  };
}

/** Learns from the rows of all organizations; once for all runs of this process that know the same names. */
async function learnFromAll(forgetting: Forgetting): Promise<void> {
  const { pool, persons, signal, shared } = forgetting;
  const work = async () => {
    await learnPairs(forgetting);
    await settleNewAddresses(forgetting);
    await keepLearned(forgetting);
  };
  if (shared === undefined) return work();
  await shared.forgottenSearch.do({
    renew: () =>
      retryOnConnectionLoss(pool, signal, () =>
        withSession(pool, async ({ db }) => void (await readForgotten(db, persons))),
      ),
    known: () => persons.size,
    work,
  });
}

/** Learns the users with an address to forget, and the addresses of forgotten users, until it finds nothing new. */
async function learnPairs({ pool, persons, signal }: Forgetting): Promise<void> {
  for (let known = -1; known !== persons.size; ) {
    known = persons.size;
    await retryOnConnectionLoss(pool, signal, () =>
      readUsers(pool, personPlaces, async (users) => {
        for (const { userId, email } of users) if (email !== null) persons.noteBeside(userId, email);
      }),
    );
  }
}

/** Finds out whether other users ever had the new addresses of forgotten users. */
async function settleNewAddresses(forgetting: Forgetting): Promise<void> {
  const { pool, persons, signal } = forgetting;
  if (!persons.hasNewAddresses) return;
  await withStoredOwners(pool, personPlaces, signal, (each) =>
    each((owner) => {
      for (const address of addressesIn(owner)) persons.noteUseOfNew(owner.userId, address);
    }),
  );
  persons.withholdNewAddresses();
  await keepLearned(forgetting);
}

/**
 * Completes a forgetting that did not reach the data of an organization, because another run held its lock or the program
 * ended too early. Costs little if there is nothing to do.
 */
export async function forgetPending(forgetting: Forgetting, orgKey: number): Promise<void> {
  const { pool, persons, signal, onEvent } = forgetting;
  await keepLearned(forgetting);
  const isPending = await retryOnConnectionLoss(pool, signal, () =>
    withSession(
      pool,
      async ({ db }) => (await readForgotten(db, persons)) && (await isSearchPending(db, orgKey)),
    ),
  );
  if (isPending) onEvent({ type: 'persons-forgotten', ...(await forgetStored(forgetting, [orgKey])) });
}
