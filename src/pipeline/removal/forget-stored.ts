/** Takes forgotten persons out of what is stored, and lets a run keep them out of what it loads. */
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
import { addressesIn } from './plan-forgetting.ts';

/** What forgetting needs, and who hears of it. */
export interface Forgetting {
  readonly pool: pg.Pool;
  readonly persons: ForgottenPersons;
  readonly signal: AbortSignal;
  /** Hears of users who were forgotten because they came with an address that somebody asked for. */
  readonly onEvent: OnRunEvent;
}

/** What was rewritten. */
export interface Forgotten extends Omit<Removed, 'tables'> {
  /** Columns of which the planner still remembers values. */
  readonly remembered: readonly string[];
}

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
  const rule = forgettingRule(forgetting, orgKeys);
  const changed = new Set<string>();
  const removed: string[] = [];
  let [rows, chunks, known] = [0, 0, -1];
  while (known !== persons.size) {
    known = persons.size;
    await learnPairs(forgetting);
    await settleNewAddresses(forgetting);
    const pass = await removeStored(pool, personPlaces, rule, signal);
    rows += pass.rows;
    chunks += pass.chunks;
    removed.push(...pass.removed);
    for (const table of pass.tables) changed.add(table);
    await keepLearned(forgetting);
  }
  const searched = personPlaces.map(({ table }) => table);
  const isNamed = (value: string) => persons.inText(value) !== value;
  const remembered = await retryOnConnectionLoss(pool, signal, () =>
    renewStatistics(pool, searched, changed, isNamed),
  );
  await withSession(pool, ({ db }) => recordSearch(db, orgKeys, persons.size));
  return { rows, chunks, removed, remembered };
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
    // Whoever was in a team by the address stays in it, by user id.
    async beforeEmailGoes({ db }, { value, userId, orgKey }) {
      if (userId !== null && orgKey !== null)
        await assignById(db, orgKey, value, userId, persons.inUserId(userId));
    },
  };
}

/** Who has an address that was asked for, and which addresses forgotten users have, until nothing new is found. */
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

/** Finds out whether anybody else ever had the addresses that forgotten users came with. */
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
 * Does what is still to be done of an organization: somebody was forgotten while another run held its lock, or the
 * program ended in the middle. Costs next to nothing where there is nothing to do.
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
