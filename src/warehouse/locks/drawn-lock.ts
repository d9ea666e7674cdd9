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
  suffixOf,
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
    const stored = (await hasNumbers(client)) ? await tryStored(client, lock, mode) : undefined;
    if (stored?.isHeld === true) return stored;
    // Before the first migration there is no table: whoever migrates at the same time comes by the same numbers.
    const number = stored?.number ?? draws;
    if (stored === undefined && (await tryLock(client, lock.lockClass, number, mode))) {
      if (await isCurrent(client, lock, undefined)) return { isHeld: true, number };
      await unlock(client, lock.lockClass, number, mode);
      continue;
    }
    const inTheWay = await readInTheWay(client, lock, number, mode);
    if (inTheWay.some(({ isOurs }) => isOurs)) return { isHeld: false, number };
    if (inTheWay.length === 0 || (stored !== undefined && !(await drawAnother(client, lock, number, mode))))
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

/** Connections on which there were numbers: they are there to stay. */
const withNumbers = new WeakSet<pg.ClientBase>();

/** Whether there are numbers that our role may read and write: else it may not migrate either, and is told so there. */
async function hasNumbers(client: pg.ClientBase): Promise<boolean> {
  if (withNumbers.has(client)) return true;
  const { rows } = await client.query<{ may_use: boolean }>(
    `select
      pg_catalog.has_schema_privilege(relation.relnamespace, 'USAGE')
        and pg_catalog.has_table_privilege(relation.oid, 'SELECT')
        and pg_catalog.has_table_privilege(relation.oid, 'INSERT')
        and pg_catalog.has_table_privilege(relation.oid, 'UPDATE') as may_use
    from pg_catalog.pg_class as relation
    where relation.oid = ${ledgerTableInSql('lock_number')}`,
  );
  const mayUse = rows[0]?.may_use === true;
  if (mayUse) withNumbers.add(client);
  return mayUse;
}

/**
 * Takes a lock if its number, drawn when it has none, is free. Waits for who draws another one at this moment; who comes
 * to draw one waits for us, and then sees that we hold it.
 */
async function tryStored(
  client: pg.ClientBase,
  { subject, lockClass }: LockSubject,
  mode: LockMode,
): Promise<LockAttempt> {
  for (;;) {
    const { rows } = await client.query<{ number: number; held: boolean }>(
      `with lock as materialized (
        select lock_number from etl.lock_number where subject = $1 for share
      )
      select lock_number as number, pg_catalog.pg_try_advisory_lock${suffixOf(mode)}($2::integer, lock_number) as held
      from lock`,
      [subject, lockClass],
    );
    if (rows[0] !== undefined) return { isHeld: rows[0].held, number: rows[0].number };
    await client.query(
      'insert into etl.lock_number (subject, lock_number) values ($1, $2) on conflict do nothing',
      [subject, drawNumber()],
    );
  }
}

/**
 * Gives a lock another number, unless one of ours has come to hold it. Who wants the lock meanwhile waits for us, and
 * reads its number then.
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
