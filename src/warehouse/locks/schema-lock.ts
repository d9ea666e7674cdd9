/**
 * The lock that keeps runs and migrations apart. A run shares it for as long as its control connection lives;
 * `migrate` holds it alone. Whoever comes second waits, and not for ever.
 */
import pg from 'pg';
import { LockHeldError } from '../../model/errors.ts';
import { BoundedClient } from '../connection/bounded-client.ts';
import { isLockTimeout } from '../connection/limit-problem.ts';
import { describeForeign, ForeignLockError, readHolders, readLockNumber } from './advisory-locks.ts';
import { readLivingRuns } from './run-locks.ts';

/** No organization has this key. */
const schemaObject = 0;

/** Whether others may hold the lock, too, in the same mode: the end of the names of Postgres' functions. */
type LockMode = '_shared' | '';

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
 * allows, `ForeignLockError` naming who else does.
 */
export async function shareSchema(client: pg.ClientBase, wait: SchemaLockWait): Promise<void> {
  const number = await takeWithin(client, '_shared', wait, async () => {
    const foreign = await readForeign(client);
    return foreign.length > 0
      ? `waiting for ${describeForeign(foreign)}`
      : 'migrate is at work on this database; waiting until it has ended';
  });
  if (number !== undefined) return;
  const foreign = await readForeign(client);
  if (foreign.length > 0)
    throw new ForeignLockError(foreign, 'the lock that keeps runs and migrations apart');
  throw new LockHeldError(
    `migrate has been at work on this database for ${inSeconds(wait)}, as long as LOCK_TIMEOUT_MS lets a run wait; ` +
      'nothing was done; run the job again when it has ended',
  );
}

/**
 * Holds the lock alone; returns what gives it back. Throws `LockHeldError` naming the runs that are in progress for
 * longer than the wait allows, and who else holds it.
 */
export async function holdSchema(client: pg.ClientBase, wait: SchemaLockWait): Promise<() => Promise<void>> {
  let waitedFor = 'a run that has just ended';
  const number = await takeWithin(client, '', wait, async () => {
    waitedFor = (await describeHolders(client)) ?? waitedFor;
    return `waiting for ${waitedFor}`;
  });
  if (number !== undefined) return () => unlock(client, number, '');
  throw new LockHeldError(
    `migrate waited ${inSeconds(wait)}, as long as LOCK_TIMEOUT_MS lets it, for ` +
      `${(await describeHolders(client)) ?? waitedFor}; nothing was changed; run migrate again when that has ended`,
  );
}

/** The number under which the lock is held; undefined when others kept it for as long as the wait allows. */
async function takeWithin(
  client: pg.ClientBase,
  mode: LockMode,
  wait: SchemaLockWait,
  inWords: () => Promise<string>,
): Promise<number | undefined> {
  const endsAt = performance.now() + wait.timeoutMs;
  for (;;) {
    const number = await readLockNumber(client);
    const { rows } = await client.query<{ is_held: boolean }>(
      `select pg_catalog.pg_try_advisory_lock${mode}($1::integer, ${schemaObject}) as is_held`,
      [number],
    );
    if (rows[0]?.is_held !== true) {
      wait.onWait?.(await inWords());
      const timeoutMs = Math.max(1, Math.ceil(endsAt - performance.now()));
      if (!(await queued(client, number, mode, { ...wait, timeoutMs }))) return undefined;
    }
    // The first migration has drawn another one meanwhile, which all others ask for.
    if ((await readLockNumber(client)) === number) return number;
    await unlock(client, number, mode);
  }
}

async function unlock(client: pg.ClientBase, number: number, mode: LockMode): Promise<void> {
  await client.query(`select pg_catalog.pg_advisory_unlock${mode}($1::integer, ${schemaObject})`, [number]);
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
      select pg_catalog.pg_advisory_lock${mode}(${number}, ${schemaObject}); commit`,
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

/** Those of others who keep a run from sharing the lock, or wait in front of it to do so. */
async function readForeign(client: pg.ClientBase) {
  const inTheWay = (await readHolders(client, schemaObject)).filter(({ isShared }) => !isShared);
  return inTheWay.some(({ isOurs }) => isOurs) ? [] : inTheWay;
}

/**
 * Who holds the lock, in words; undefined when nobody does. A run is known by the lock that it holds on its id, on the
 * same connection.
 */
async function describeHolders(client: pg.ClientBase): Promise<string | undefined> {
  const holders = (await readHolders(client, schemaObject)).filter(({ isGranted }) => isGranted);
  if (holders.length === 0) return undefined;
  const runs = new Map((await readLivingRuns(client)).map((run) => [run.pid, run]));
  const words = holders
    .filter(({ isOurs }) => isOurs)
    .map(({ pid, isShared }) => {
      const run = runs.get(pid);
      if (run !== undefined) return `run ${run.runId} (${run.job}, since ${run.since})`;
      return isShared
        ? `a run that is about to begin (process ${pid} of the database server)`
        : `another migrate (process ${pid} of the database server)`;
    });
  const foreign = describeForeign(holders);
  return [...words, ...(foreign === '' ? [] : [`${foreign}, which is no run of this program`])].join(', ');
}

function inSeconds({ timeoutMs }: SchemaLockWait): string {
  return `${timeoutMs / 1000} s`;
}
