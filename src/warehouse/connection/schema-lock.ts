/**
 * The lock that keeps runs and migrations apart. A run shares it for as long as its control connection lives;
 * `migrate` holds it alone. Whoever comes second waits, and not for ever.
 */
import pg from 'pg';
import { LockHeldError } from '../../model/errors.ts';
import { runLockClass } from '../ledger/run-ledger.ts';
import { BoundedClient } from './bounded-client.ts';
import { isLockTimeout } from './limit-problem.ts';

/** Any number that nobody else locks in this database. */
const schemaLockKey = 7_205_318_846_230_917n;

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
 * Shares the lock until the connection ends or gives it back. Throws `LockHeldError` when `migrate` keeps it for
 * longer than the wait allows.
 */
export async function shareSchema(client: pg.ClientBase, wait: SchemaLockWait): Promise<void> {
  if (await holds(client, 'pg_try_advisory_lock_shared')) return;
  wait.onWait?.('migrate is at work on this database; waiting until it has ended');
  if (!(await holdsWithin(client, 'pg_advisory_lock_shared', wait)))
    throw new LockHeldError(
      `migrate has been at work on this database for ${inSeconds(wait)}, as long as LOCK_TIMEOUT_MS lets a run wait; ` +
        'nothing was done; run the job again when it has ended',
    );
}

/**
 * Holds the lock alone, until `releaseSchema`. Throws `LockHeldError` naming the runs that are in progress for longer
 * than the wait allows.
 */
export async function holdSchema(client: pg.ClientBase, wait: SchemaLockWait): Promise<void> {
  if (await holds(client, 'pg_try_advisory_lock')) return;
  const atFirst = (await describeHolders(client)) ?? 'a run that has just ended';
  wait.onWait?.(`waiting for ${atFirst}`);
  if (await holdsWithin(client, 'pg_advisory_lock', wait)) return;
  const still = (await describeHolders(client)) ?? atFirst;
  throw new LockHeldError(
    `migrate waited ${inSeconds(wait)}, as long as LOCK_TIMEOUT_MS lets it, for ${still}; ` +
      'nothing was changed; run migrate again when that has ended',
  );
}

/** Gives the lock back that `holdSchema` took. */
export async function releaseSchema(client: pg.ClientBase): Promise<void> {
  await client.query(`select pg_advisory_unlock(${schemaLockKey})`);
}

async function holds(client: pg.ClientBase, tryLock: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`select ${tryLock}(${schemaLockKey}) as held`);
  return rows[0]?.held === true;
}

/** Waits in the queue of Postgres, so that `migrate` gets its turn however many runs begin meanwhile. */
async function holdsWithin(
  client: pg.ClientBase,
  lock: string,
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
      `begin; set local lock_timeout = ${timeoutMs}; set local statement_timeout = 0; select ${lock}(${schemaLockKey}); commit`,
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

/**
 * Who holds the lock, in words; undefined when nobody does. A run is known by the lock that it holds on its id, on the
 * same connection.
 */
async function describeHolders(client: pg.ClientBase): Promise<string | undefined> {
  const { rows: known } = await client.query<{ has_runs: boolean }>(
    `select to_regclass('etl.run') is not null as has_runs`,
  );
  // A database that was never migrated has no runs.
  const running =
    known[0]?.has_runs === true
      ? `select run_id, job, started_at from etl.run where status = 'running'`
      : 'select null::bigint as run_id, null as job, null::timestamptz as started_at';
  const { rows } = await client.query<Holder>(`
    select
      held.pid,
      held.mode = 'ShareLock' as is_shared,
      r.run_id,
      r.job,
      to_char(r.started_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from pg_locks as held
    left join pg_locks as own
      on own.pid = held.pid
      and own.database = held.database
      and own.locktype = 'advisory'
      and own.classid = ${runLockClass}
      and own.objsubid = 2
    left join (${running}) as r on r.run_id & 2147483647 = own.objid::bigint
    where held.locktype = 'advisory'
      and held.database = (select oid from pg_database where datname = current_database())
      and held.classid::bigint = ${schemaLockKey >> 32n}
      and held.objid::bigint = ${schemaLockKey & 0xffff_ffffn}
      and held.objsubid = 1
      and held.granted
      and held.pid <> pg_backend_pid()
    order by r.run_id, held.pid`);
  return rows.length === 0 ? undefined : rows.map(describeHolder).join(', ');
}

interface Holder {
  readonly pid: number;
  readonly is_shared: boolean;
  readonly run_id: string | null;
  readonly job: string | null;
  readonly since: string | null;
}

function describeHolder({ pid, is_shared, run_id, job, since }: Holder): string {
  if (!is_shared) return `another migrate (process ${pid} of the database server)`;
  if (run_id === null) return `a run that is about to begin (process ${pid} of the database server)`;
  return `run ${run_id} (${job}, since ${since})`;
}

function inSeconds({ timeoutMs }: SchemaLockWait): string {
  return `${timeoutMs / 1000} s`;
}
