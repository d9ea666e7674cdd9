/**
 * The lock that keeps runs and migrations apart. A run shares it for as long as its control connection lives;
 * `migrate` holds it alone. Whoever comes second waits, and not for ever.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { LockHeldError } from '../../model/errors.ts';
import { BoundedClient } from '../connection/bounded-client.ts';
import { isLockTimeout } from '../connection/limit-problem.ts';
import { type LockMode, readHolders, suffixOf, unlock } from './advisory-locks.ts';
import { isCurrent, schemaSubject, takeUnlessOurs } from './drawn-lock.ts';
import { readLivingRuns } from './run-locks.ts';

const { lockClass } = schemaSubject;
const betweenLooksMs = 200;

/** How long to wait for the lock, and who is told of it. */
export interface SchemaLockWait {
  /** From 1 up. */
  readonly timeoutMs: number;
  /** Ends the wait, and with it the connection. */
  readonly signal?: AbortSignal | undefined;
  /** Told in a sentence what is waited for, before the wait begins. */
  readonly onWait?: ((sentence: string) => void) | undefined;
}

/**
 * Shares the lock until the connection ends. Throws `LockHeldError` when `migrate` keeps it for longer than the wait
 * allows.
 */
export async function shareSchema(client: pg.ClientBase, wait: SchemaLockWait): Promise<void> {
  const taken = await takeWithin(
    client,
    'shared',
    wait,
    async () => 'migrate is at work on this database; waiting until it has ended',
  );
  if (taken === undefined)
    throw new LockHeldError(
      `migrate has been at work on this database for ${inSeconds(wait)}, as long as LOCK_TIMEOUT_MS lets a run wait; ` +
        'nothing was done; run the job again when it has ended',
    );
}

/**
 * Holds the lock alone; returns what gives it back. Throws `LockHeldError` naming the runs that are in progress for
 * longer than the wait allows.
 */
export async function holdSchema(client: pg.ClientBase, wait: SchemaLockWait): Promise<() => Promise<void>> {
  const endsAt = performance.now() + wait.timeoutMs;
  let waitedFor = 'a run that has just ended';
  const number = await takeWithin(client, 'alone', wait, async () => {
    waitedFor = (await describeHolders(client)) ?? waitedFor;
    return `waiting for ${waitedFor}`;
  });
  // Runs that began before the number was drawn anew hold the one before.
  let isFree = number !== undefined;
  while (isFree && (await othersHold(client, number))) {
    isFree = performance.now() < endsAt;
    await delay(betweenLooksMs, undefined, { signal: wait.signal });
  }
  if (isFree && number !== undefined) return () => unlock(client, lockClass, number, 'alone');
  waitedFor = (await describeHolders(client)) ?? waitedFor;
  if (number !== undefined) await unlock(client, lockClass, number, 'alone');
  throw new LockHeldError(
    `migrate waited ${inSeconds(wait)}, as long as LOCK_TIMEOUT_MS lets it, for ${waitedFor}; ` +
      'nothing was changed; run migrate again when that has ended',
  );
}

/** The number under which the lock is held; undefined when one of ours kept it for as long as the wait allows. */
async function takeWithin(
  client: pg.ClientBase,
  mode: LockMode,
  wait: SchemaLockWait,
  inWords: () => Promise<string>,
): Promise<number | undefined> {
  const endsAt = performance.now() + wait.timeoutMs;
  const onForeign = wait.onWait ?? (() => undefined);
  let isTold = false;
  for (;;) {
    const { isHeld, number } = await takeUnlessOurs(client, schemaSubject, mode, onForeign);
    if (isHeld) return number;
    const restMs = Math.ceil(endsAt - performance.now());
    if (restMs <= 0) return undefined;
    if (!isTold) wait.onWait?.(await inWords());
    isTold = true;
    // In the end only others may be left: then it is taken from them.
    if (!(await queued(client, number, mode, { ...wait, timeoutMs: restMs }))) continue;
    if (await isCurrent(client, schemaSubject, number)) return number;
    await unlock(client, lockClass, number, mode);
  }
}

/** Waits in the queue of Postgres, so that `migrate` gets its turn however many runs begin meanwhile. */
async function queued(
  client: pg.ClientBase,
  number: number,
  mode: LockMode,
  { timeoutMs, signal }: SchemaLockWait,
): Promise<boolean> {
  const stop = () => {
    // A statement can only be left by ending its connection.
    if (client instanceof pg.Client) client.end().catch(() => undefined);
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', stop, { once: true });
  if (client instanceof BoundedClient) client.allowanceMs = timeoutMs;
  try {
    await client.query(
      `begin; set local lock_timeout = ${timeoutMs}; set local statement_timeout = 0;
      select pg_catalog.pg_advisory_lock${suffixOf(mode)}(${lockClass}, ${number}); commit`,
    );
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    await client.query('rollback');
    if (isLockTimeout(error)) return false;
    throw error;
  } finally {
    if (client instanceof BoundedClient) client.allowanceMs = 0;
    signal?.removeEventListener('abort', stop);
  }
}

/** Whether a run of ours holds the lock under another number. */
async function othersHold(client: pg.ClientBase, number: number | undefined): Promise<boolean> {
  const holders = await readHolders(client, lockClass);
  return holders.some((holder) => holder.isOurs && holder.isGranted && holder.number !== number);
}

/**
 * Who of ours holds the lock, in words; undefined when nobody does. A run is known by the lock that it holds on its id,
 * on the same connection.
 */
async function describeHolders(client: pg.ClientBase): Promise<string | undefined> {
  const holders = (await readHolders(client, lockClass)).filter(
    ({ isOurs, isGranted }) => isOurs && isGranted,
  );
  const runs = new Map((await readLivingRuns(client)).map((run) => [run.pid, run]));
  const words = holders.map(({ pid, isShared }) => {
    const run = runs.get(pid);
    if (run !== undefined) return `run ${run.runId} (${run.job}, since ${run.since})`;
    return isShared
      ? `a run that is about to begin (process ${pid} of the database server)`
      : `another migrate (process ${pid} of the database server)`;
  });
  return words.length === 0 ? undefined : words.join(', ');
}

function inSeconds({ timeoutMs }: SchemaLockWait): string {
  return `${timeoutMs / 1000} s`;
}
