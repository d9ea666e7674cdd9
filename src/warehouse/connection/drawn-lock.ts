/**
 * Locks whose numbers stand in `etl.lock_number`. Any role that may connect can hold any advisory lock, and sees which
 * ones we hold; so a number that only others hold is given up, and another one is drawn.
 */
import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';
import {
  describeForeign,
  type LockHolder,
  type LockMode,
  ledgerTableInSql,
  lockClasses,
  readHolders,
  tryLock,
  unlock,
} from './advisory-locks.ts';

/** What a lock protects. */
export interface LockSubject {
  /** As in `etl.lock_number`. */
  readonly subject: string;
  readonly lockClass: number;
  /** For sentences. */
  readonly inWords: string;
}

/** The schema, which runs share and `migrate` holds alone. */
export const schemaSubject: LockSubject = {
  subject: 'schema',
  lockClass: lockClasses.schema,
  inWords: 'the lock that keeps runs and migrations apart',
};

/** An organization, which one run at a time works on. */
export function organizationSubject(orgKey: number): LockSubject {
  return {
    subject: `organization ${orgKey}`,
    lockClass: lockClasses.organization,
    inWords: 'the lock of this organization',
  };
}

/** Told in a sentence that somebody else held a lock. */
export type OnForeign = (sentence: string) => void;

/** What came of an attempt: the number that is held now, or the number that one of ours holds. */
export interface LockAttempt {
  readonly isHeld: boolean;
  readonly number: number;
}

/** Drawing helps against who does not follow; whoever follows so often is meant to be told of. */
const mostDraws = 100;

/** A number for a lock. */
export function drawNumber(): number {
  return randomInt(2 ** 31);
}

/**
 * Takes a lock for as long as the connection lives, unless one of ours holds it. Where only other roles hold it, tells
 * who, and takes it under another number. Throws `WarehouseError` when they follow again and again.
 */
export async function takeUnlessOurs(
  client: pg.ClientBase,
  lock: LockSubject,
  mode: LockMode,
  onForeign: OnForeign,
): Promise<LockAttempt> {
  let foreign = '';
  for (let draws = 0; draws < mostDraws; ) {
    const stored = await storedNumber(client, lock);
    // Before the first migration there is no table: whoever migrates at the same time comes by the same numbers.
    const number = stored ?? draws;
    if (await tryLock(client, lock.lockClass, number, mode)) {
      if (await isCurrent(client, lock, stored)) return { isHeld: true, number };
      await unlock(client, lock.lockClass, number, mode);
      continue;
    }
    const inTheWay = await readInTheWay(client, lock, number, mode);
    if (inTheWay.some(({ isOurs }) => isOurs)) return { isHeld: false, number };
    if (inTheWay.length === 0 || (stored !== undefined && !(await drawAnother(client, lock, stored, mode))))
      continue;
    foreign = describeForeign(inTheWay);
    draws += 1;
    onForeign(`${foreign} holds ${lock.inWords}, and is no run of this program; it is given another number`);
  }
  throw new WarehouseError(
    `${lock.inWords} could not be taken: ${foreign} took each of ${mostDraws} numbers that were drawn for it; ` +
      'let that session end, then run the job again',
  );
}

/** Whether a lock that was taken is the one that all others ask for: its number may have been given up meanwhile. */
export async function isCurrent(
  client: pg.ClientBase,
  { subject }: LockSubject,
  number: number | undefined,
): Promise<boolean> {
  if (!(await hasNumbers(client))) return number === undefined;
  // Waits for who is drawing at this moment, so that one of us sees the other.
  const { rows } = await client.query<{ lock_number: number }>(
    'select lock_number from etl.lock_number where subject = $1 for share',
    [subject],
  );
  return rows[0]?.lock_number === number;
}

/** Who holds the lock in a mode that does not go with ours, or waits in front of us to do so. */
async function readInTheWay(
  client: pg.ClientBase,
  { lockClass }: LockSubject,
  number: number,
  mode: LockMode,
): Promise<LockHolder[]> {
  const holders = await readHolders(client, lockClass, number);
  return mode === 'alone' ? holders : holders.filter(({ isShared }) => !isShared);
}

/** Whether there are numbers that our role may read and write: else it may not migrate either, and is told so there. */
async function hasNumbers(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ may_use: boolean }>(
    `select
      has_schema_privilege(relation.relnamespace, 'USAGE')
        and has_table_privilege(relation.oid, 'SELECT')
        and has_table_privilege(relation.oid, 'INSERT')
        and has_table_privilege(relation.oid, 'UPDATE') as may_use
    from pg_class as relation
    where relation.oid = ${ledgerTableInSql('lock_number')}`,
  );
  return rows[0]?.may_use === true;
}

/** The number of a lock, drawn when it has none; undefined before the first migration. */
async function storedNumber(client: pg.ClientBase, { subject }: LockSubject): Promise<number | undefined> {
  if (!(await hasNumbers(client))) return undefined;
  for (;;) {
    const { rows } = await client.query<{ lock_number: number }>(
      'select lock_number from etl.lock_number where subject = $1',
      [subject],
    );
    if (rows[0] !== undefined) return rows[0].lock_number;
    await client.query(
      'insert into etl.lock_number (subject, lock_number) values ($1, $2) on conflict do nothing',
      [subject, drawNumber()],
    );
  }
}

/**
 * Gives a lock another number, unless one of ours has come to hold it. Who takes the lock meanwhile reads its number
 * afterwards, and waits for us there.
 */
async function drawAnother(
  client: pg.ClientBase,
  lock: LockSubject,
  number: number,
  mode: LockMode,
): Promise<boolean> {
  await client.query('begin');
  try {
    const { rowCount } = await client.query(
      `update etl.lock_number
      set lock_number = $3, drawn_at = now()
      where subject = $1
        and lock_number = $2
        and not exists (select from etl.lock_number where lock_number = $3)`,
      [lock.subject, number, drawNumber()],
    );
    const isFree = !(await readInTheWay(client, lock, number, mode)).some(({ isOurs }) => isOurs);
    const isDrawn = rowCount === 1 && isFree;
    await client.query(isDrawn ? 'commit' : 'rollback');
    return isDrawn;
  } catch (error) {
    // Where the connection is gone, so is the transaction.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
