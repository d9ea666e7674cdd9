/**
 * The lock that keeps runs and migrations apart. A run shares it until its control connection ends; `migrate` holds it
 * exclusively. The second one waits, up to a time limit.
 */
import pg from 'pg';
import { LockHeldError } from '../../model/errors.ts';
import { BoundedClient } from '../connection/bounded-client.ts';
import { isLockTimeout } from '../connection/limit-problem.ts';
import { describeForeign, ForeignLockError, readHolders, readLockNumber } from './advisory-locks.ts';
import { readLivingRuns } from './run-locks.ts';

/** No organization has this key. */
const schemaObject = 0;

/** Shared or exclusive, as the suffix of the Postgres functions. */
type LockMode = '_shared' | '';

/** How to wait for the lock. */
export interface SchemaLockWait {
  /** At least 1. */
  readonly timeoutMs: number;
  /** Ends the wait and the connection. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the wait begins, with a sentence that says what the program waits for. */
  readonly onWait?: ((sentence: string) => void) | undefined;
}

/**
 * Shares the lock until the connection ends. Throws `LockHeldError` when `migrate` holds it longer than the time limit, and
 * `ForeignLockError` when somebody else does.
 */
export async function shareSchema(client: pg.ClientBase, wait: SchemaLockWait): Promise<void> {
  const number = await takeWithin(client, '_shared', wait, async () => {
    const foreign = await readForeign(client);
    return foreign.length > 0
      ? `waiting for ${describeForeign(foreign)}`
      : 'migrate is running on this database; waiting until it has ended';
  });
  if (number !== undefined) return;
  const foreign = await readForeign(client);
  if (foreign.length > 0)
    throw new ForeignLockError(foreign, 'the lock that keeps runs and migrations apart');
  throw new LockHeldError(
    `migrate is still running on this database after a wait of ${inSeconds(wait)} (LOCK_TIMEOUT_MS); ` +
      'nothing was done; run the job again when it has ended',
  );
}

/**
 * Holds the lock exclusively; the function it returns releases it. Throws `LockHeldError` when others hold it longer than
 * the time limit; the error names them.
 */
export async function holdSchema(client: pg.ClientBase, wait: SchemaLockWait): Promise<() => Promise<void>> {
  let waitedFor = 'other sessions';
  const number = await takeWithin(client, '', wait, async () => {
    waitedFor = (await describeHolders(client)) ?? waitedFor;
    return `waiting for ${waitedFor}`;
  });
  if (number !== undefined) return () => unlock(client, number, '');
  const holders = await describeHolders(client);
  const when = holders === undefined ? '' : ' when that has ended';
  throw new LockHeldError(
    `migrate waited ${inSeconds(wait)} (LOCK_TIMEOUT_MS) for ${holders ?? waitedFor}; ` +
      `nothing was changed; run migrate again${when}`,
  );
}

/** The number under which the lock is held; undefined when the time limit has passed. */
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
    // The first migration may have drawn the number meanwhile. All later sessions use that one, so take the lock again.
    if ((await readLockNumber(client)) === number) return number;
    await unlock(client, number, mode);
  }
}

async function unlock(client: pg.ClientBase, number: number, mode: LockMode): Promise<void> {
  await client.query(`select pg_catalog.pg_advisory_unlock${mode}($1::integer, ${schemaObject})`, [number]);
}

/** Waits in the lock queue of Postgres, so that runs that begin later cannot overtake `migrate`. */
async function queued(
  client: pg.ClientBase,
  number: number,
  mode: LockMode,
  { timeoutMs, signal }: SchemaLockWait,
): Promise<boolean> {
  const stop = () => {
    // Only ending the connection stops the statement.
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

/** The foreign sessions that hold the lock exclusively, or wait for it and so block the queue; none if one of ours does. */
async function readForeign(client: pg.ClientBase) {
  const inTheWay = (await readHolders(client, schemaObject)).filter(({ isShared }) => !isShared);
  return inTheWay.some(({ isOurs }) => isOurs) ? [] : inTheWay;
}

/**
 * The holders of the lock, in words; undefined when nobody holds it. A run holds the lock on its id on the same
 * connection: this tells which run a holder is.
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
